{{- define "zonewright.name" -}}
{{- printf "%s" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- define "zonewright.selector" -}}
app.kubernetes.io/name: zonewright
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "zonewright.labels" -}}
{{ include "zonewright.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

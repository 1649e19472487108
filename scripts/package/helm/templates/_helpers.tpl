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
{{/* YAML reads on and off as booleans and each number as a float, which would be printed as true and 1e+06; 0 is a value too. */}}
{{- define "zonewright.setting" -}}
{{- if kindIs "bool" . }}{{ ternary "on" "off" . }}{{ else if kindIs "float64" . }}{{ int64 . }}{{ else if not (kindIs "invalid" .) }}{{ . }}{{ end -}}
{{- end -}}

import encodeQR from 'qr'

type QrCodeProps = { readonly label: string; readonly text: string }

/** A text as a QR code, dark on light in every theme. */
export function QrCode({ label, text }: QrCodeProps) {
  const rows = encodeQR(text, 'raw', { border: 2 })
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg class="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  )
}

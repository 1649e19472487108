import { useState } from 'preact/hooks'
import { updateZone, type Zone } from '../../api/zones.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { notify } from '../../ui/notices.tsx'
import { useSubmission } from '../../ui/submission.ts'
import { Offers } from './offers.tsx'
import { Shares } from './shares.tsx'
import { UpdateRules } from './update-rules.tsx'

type ZoneAccessProps = { readonly zone: Zone; readonly onSaved: (zone: Zone) => void }

/** Others with access to a zone: name servers, programs, projects. */
export function ZoneAccess({ zone, onSaved }: ZoneAccessProps) {
  return (
    <div class="scrolls fill">
      <div class="cards">
        <Peers zone={zone} onSaved={onSaved} />
        {zone.type === 'PRIMARY' && <UpdateRules zone={zone} />}
        <Shares zone={zone} />
        <Offers zone={zone} />
      </div>
    </div>
  )
}

/** The name servers that may transfer the zone, and the key for requests to its masters. */
function Peers({ zone, onSaved }: ZoneAccessProps) {
  const { allow_transfer: allowed = '', transfer_key: key = '' } = zone.attributes
  const [peers, setPeers] = useState(allowed)
  const [keyName, setKeyName] = useState(key)
  const isSecondary = zone.type === 'SECONDARY'
  const { onSubmit, isBusy, refusalOf, rest } = useSubmission(['attributes'], async () => {
    const own = isSecondary ? { transfer_key: keyName } : {}
    onSaved(await updateZone(zone, { attributes: { allow_transfer: peers, ...own } }))
    notify(texts.zone.saved)
  })
  return (
    <Card title={texts.access.servers} explain={texts.access.serversExplain}>
      <Form {...{ onSubmit, isBusy, rest }} submit={texts.common.save}>
        <Field
          label={texts.access.allowTransfer}
          placeholder={texts.access.allowTransferHint}
          value={peers}
          onInput={setPeers}
          error={refusalOf('attributes')}
        />
        {isSecondary && (
          <Field
            label={texts.access.transferKey}
            placeholder={texts.access.keyHint}
            value={keyName}
            onInput={setKeyName}
          />
        )}
      </Form>
    </Card>
  )
}

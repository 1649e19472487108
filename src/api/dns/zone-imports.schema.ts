import { Type } from 'typebox'
import { attributesField } from './field-schemas.ts'

/** Body of `POST /zones/tasks/imports`, where it is JSON and not the file itself. */
export const zoneImportSchema = Type.Object(
  { zonefile: Type.String({ minLength: 1 }), attributes: Type.Optional(attributesField) },
  {
    title: 'zone_import',
    examples: [
      {
        zonefile:
          '$ORIGIN example.com.\n@ 3600 SOA ns1.example.net. ops.example.com. 1 3600 600 86400 300\nwww 300 A 192.0.2.1\n',
      },
    ],
    additionalProperties: false,
  },
)

import t from 'tap'
import { testRows } from '../helpers/rows.ts'
import { zonesFromText } from '../helpers/zone.ts'

// The examples of RFC 1034 section 6.2, asked of the server C.ISI.EDU that section 6.1 describes. Two
// deviations, both later law: positive answers have no authority section, and ANY is one RRset (RFC 8482).

const root = `
  .                    86400 SOA  SRI-NIC.ARPA. HOSTMASTER.SRI-NIC.ARPA. 870611 1800 300 604800 86400
  @                    86400 NS   A.ISI.EDU.
  @                    86400 NS   C.ISI.EDU.
  @                    86400 NS   SRI-NIC.ARPA.
  MIL.                 86400 NS   SRI-NIC.ARPA.
  MIL.                 86400 NS   A.ISI.EDU.
  EDU.                 86400 NS   SRI-NIC.ARPA.
  EDU.                 86400 NS   C.ISI.EDU.
  SRI-NIC.ARPA.        86400 A    26.0.0.73
  SRI-NIC.ARPA.        86400 A    10.0.0.51
  SRI-NIC.ARPA.        86400 MX   0 SRI-NIC.ARPA.
  SRI-NIC.ARPA.        86400 HINFO DEC-2060 TOPS20
  ACC.ARPA.            86400 A    26.6.0.65
  ACC.ARPA.            86400 MX   10 ACC.ARPA.
  USC-ISIC.ARPA.       86400 CNAME C.ISI.EDU.
  65.0.6.26.IN-ADDR.ARPA. 86400 PTR ACC.ARPA.
  51.0.0.10.IN-ADDR.ARPA. 86400 PTR SRI-NIC.ARPA.
  A.ISI.EDU.           86400 A    26.3.0.103
  C.ISI.EDU.           86400 A    10.0.0.52
`

const edu = `
  EDU.                 86400 SOA  SRI-NIC.ARPA. HOSTMASTER.SRI-NIC.ARPA. 870729 1800 300 604800 86400
  @                    86400 NS   SRI-NIC.ARPA.
  @                    86400 NS   C.ISI.EDU.
  UCI                  172800 NS  ICS.UCI
  ICS.UCI              172800 A   192.5.19.1
  ISI                  172800 NS  VAXA.ISI
  ISI                  172800 NS  A.ISI
  VAXA.ISI             172800 A   10.2.0.27
  VAXA.ISI             172800 A   128.9.0.33
  A.ISI                172800 A   26.3.0.103
`

const rootSoa = '. 86400 SOA SRI-NIC.ARPA. HOSTMASTER.SRI-NIC.ARPA. 870611 1800 300 604800 86400'

testRows(t, zonesFromText(root, edu), [
  {
    rule: '6.2.1 QNAME=SRI-NIC.ARPA, QTYPE=A: both addresses',
    ask: 'SRI-NIC.ARPA. A',
    answer: `
      SRI-NIC.ARPA. 86400 A 10.0.0.51
      SRI-NIC.ARPA. 86400 A 26.0.0.73`,
  },
  {
    rule: '6.2.2 QNAME=SRI-NIC.ARPA, QTYPE=*: one RRset of the name (RFC 8482)',
    ask: 'SRI-NIC.ARPA. ANY',
    answer: `
      SRI-NIC.ARPA. 86400 A 10.0.0.51
      SRI-NIC.ARPA. 86400 A 26.0.0.73`,
  },
  {
    rule: '6.2.3 QNAME=SRI-NIC.ARPA, QTYPE=MX: the exchange and its addresses',
    ask: 'SRI-NIC.ARPA. MX',
    answer: 'SRI-NIC.ARPA. 86400 MX 0 SRI-NIC.ARPA.',
    additional: `
      SRI-NIC.ARPA. 86400 A 10.0.0.51
      SRI-NIC.ARPA. 86400 A 26.0.0.73`,
  },
  {
    rule: '6.2.4 QNAME=SRI-NIC.ARPA, QTYPE=NS: the name exists, the type does not',
    ask: 'SRI-NIC.ARPA. NS',
    authority: rootSoa,
  },
  {
    rule: '6.2.5 QNAME=SIR-NIC.ARPA, QTYPE=A: no such name',
    ask: 'SIR-NIC.ARPA. A',
    rcode: 'NXDOMAIN',
    authority: rootSoa,
  },
  {
    rule: '6.2.6 QNAME=BRL.MIL, QTYPE=A: referral to the MIL servers',
    ask: 'BRL.MIL. A',
    expectFlags: '',
    authority: `
      MIL. 86400 NS A.ISI.EDU.
      MIL. 86400 NS SRI-NIC.ARPA.`,
    additional: `
      SRI-NIC.ARPA. 86400 A 10.0.0.51
      SRI-NIC.ARPA. 86400 A 26.0.0.73
      A.ISI.EDU.    86400 A 26.3.0.103`,
  },
  {
    rule: '6.2.7 QNAME=USC-ISIC.ARPA, QTYPE=A: the alias, and the referral for its target',
    ask: 'USC-ISIC.ARPA. A',
    answer: 'USC-ISIC.ARPA. 86400 CNAME C.ISI.EDU.',
    authority: `
      ISI.EDU. 172800 NS A.ISI.EDU.
      ISI.EDU. 172800 NS VAXA.ISI.EDU.`,
    additional: `
      VAXA.ISI.EDU. 172800 A 10.2.0.27
      VAXA.ISI.EDU. 172800 A 128.9.0.33
      A.ISI.EDU.    172800 A 26.3.0.103`,
  },
  {
    rule: '6.2.8 QNAME=USC-ISIC.ARPA, QTYPE=CNAME: the alias alone',
    ask: 'USC-ISIC.ARPA. CNAME',
    answer: 'USC-ISIC.ARPA. 86400 CNAME C.ISI.EDU.',
  },
])

/** Tests of Designate's suite that fail here, each with the reason why it is left so. */
export const knownFailures: Readonly<Record<string, string>> = {
  'api.v2.test_enabled_api_version.DesignateApiVersion.test_list_enabled_api_versions':
    'it knows the versions up to 2.0; later releases of Designate, and this server, list 2.1 to 2.4 as well',
  'api.v2.test_recordset.RecordsetsTest.test_show_recordsets':
    'it expects a record set still to be PENDING when it is read, which is ACTIVE here: it is answered by then',
  'scenario.v2.test_zones_transfer.ZonesTransferTest.test_zone_transfer_target_project':
    'its clean-up deletes a zone and then the transfer request, which has gone with the zone here',
}

"""What programs on libcloud do with zones and records through PowerDNS's API. Its arguments are the server's host, port and key; it
tells of each step in a line of JSON."""

import json
import sys

from libcloud.dns.drivers.powerdns import PowerDNSDriver
from libcloud.dns.types import RecordType

ZONE = "libcloud.example."
HOST = "www.libcloud.example."

host, port, key = sys.argv[1:]
driver = PowerDNSDriver(key, host=host, port=int(port), secure=False, api_version="v1")


def tell(step, *things):
    print(json.dumps([step, *things]), flush=True)


def addresses():
    records = driver.list_records(zone)
    return [[record.data, record.ttl] for record in records if record.name == HOST]


driver.create_zone(ZONE, "NATIVE", extra={"nameservers": ["ns1.example.net."]})
# The object that this returns has a second final dot.
zone = driver.get_zone(ZONE)
tell("created", zone.id, [each.id for each in driver.list_zones()])
record = driver.create_record(HOST, zone, RecordType.A, "192.0.2.1", extra={"ttl": 300})
tell("record created", addresses())
record = driver.update_record(record, HOST, RecordType.A, "192.0.2.2", extra={"ttl": 60})
tell("record updated", addresses())
tell("record deleted", driver.delete_record(record), addresses())
tell("deleted", driver.delete_zone(zone), [each.id for each in driver.list_zones()])

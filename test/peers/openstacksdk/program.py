"""What programs on openstacksdk do with zones and record sets: Ansible's modules, which call it by names, and those
that use the DNS service itself. It logs in as OS_* say and tells of each step in a line of JSON. Its argument is the
address of a primary of copy.example."""

import json
import sys
import time

import openstack
from openstack import exceptions

PATIENCE_SECONDS = 300
ZONE = "sdk.example."
HOST = "www.sdk.example."
FIELDS = (
    "name", "type", "email", "ttl", "description", "status", "action", "records", "masters",
    "ptrdname", "address",
)


def tell(step, *things):
    print(json.dumps([step, *(shown(thing) for thing in things)]), flush=True)


def shown(thing):
    if not hasattr(thing, "to_dict"):
        return thing
    values = thing.to_dict()
    return {field: values[field] for field in FIELDS if values.get(field) is not None}


def poll(look, is_wanted):
    """Looks until it is as wanted, and returns that."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = look()
        if is_wanted(found):
            return found
        time.sleep(0.02)
    raise TimeoutError("it takes too long")


def is_active(thing):
    return thing.status == "ACTIVE"


def by_names(cloud):
    """The calls of the modules dns_zone and recordset."""
    tell("created", cloud.create_zone(ZONE, zone_type="primary", email="ops@example.com", ttl=300))
    tell("found", poll(lambda: cloud.get_zone(ZONE), is_active))
    tell("updated", cloud.update_zone(ZONE, description="By name", ttl=60))
    tell("set created", cloud.create_recordset(ZONE, HOST, "a", ["192.0.2.2", "192.0.2.1"], ttl=30))
    tell("set found", poll(lambda: cloud.get_recordset(ZONE, HOST), is_active))
    tell("set updated", cloud.update_recordset(ZONE, HOST, records=["192.0.2.9"]))
    tell("searched", [found.name for found in cloud.search_recordsets(ZONE, filters={"type": "A"})])
    tell("set deleted", cloud.delete_recordset(ZONE, HOST), cloud.get_recordset(ZONE, HOST))
    tell("deleted", cloud.delete_zone(ZONE), cloud.get_zone(ZONE), cloud.delete_zone(ZONE))


def copied(cloud, primary):
    tell("copy created", cloud.create_zone("copy.example.", zone_type="secondary", masters=[primary]))
    tell("copy found", poll(lambda: cloud.get_zone("copy.example."), is_active))
    zone = cloud.dns.find_zone("copy.example.", ignore_missing=False)
    cloud.dns.xfr_zone(zone)
    cloud.dns.abandon_zone(zone)
    tell("copy abandoned", cloud.get_zone("copy.example."))


def by_ids(cloud):
    """All pages of lists, and errors as the library sorts them."""
    zone = cloud.dns.create_zone(name=ZONE, email="ops@example.com")
    for i in range(25):
        cloud.dns.create_recordset(zone, name=f"host-{i}.{ZONE}", type="A", records=["192.0.2.1"])
    listed = list(cloud.dns.recordsets(zone, type="A", limit=10))
    tell("all pages", len(listed), len({found.name for found in listed}))
    tell("all zones", [found.name for found in cloud.dns.zones(name=ZONE)])
    try:
        cloud.dns.create_zone(name=ZONE, email="ops@example.com")
    except exceptions.ConflictException as error:
        tell("refused", error.status_code, error.details)
    everywhere = cloud.dns.recordsets(name=f"host-7.{ZONE}")
    tell("over all zones", [found.zone_name for found in everywhere])
    cloud.dns.delete_zone(zone)


def exported(cloud):
    zone = cloud.dns.create_zone(name="exported.example.", email="ops@example.com")
    # The library's own call for this asks for an export of no zone.
    export = cloud.dns.post(f"/zones/{zone.id}/tasks/export").json()["id"]
    found = poll(lambda: cloud.dns.get_zone_export(export), lambda it: it.status == "COMPLETE")
    listed = [row.id for row in cloud.dns.zone_exports()]
    tell("exported", found.status, listed == [export])
    cloud.dns.delete_zone_export(export)
    tell("no export", len(list(cloud.dns.zone_exports())), len(list(cloud.dns.zone_imports())))
    cloud.dns.delete_zone(zone)


def lent_address(cloud):
    address, = cloud.dns.floating_ips()
    tell("address", cloud.dns.get_floating_ip(address.id))


def main(primary):
    cloud = openstack.connect()
    by_names(cloud)
    copied(cloud, primary)
    by_ids(cloud)
    exported(cloud)
    lent_address(cloud)


main(*sys.argv[1:])

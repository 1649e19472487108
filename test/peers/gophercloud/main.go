// What programs built on gophercloud do with zones and record sets: Terraform's provider, which waits until what it
// asked for is so, and the answers to challenges of certificate authorities, which are put beside each other. It logs
// in as OS_* say, asks the name server at DNS_SERVER what is served, and tells of each step in a line of JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sort"
	"time"

	"github.com/gophercloud/gophercloud"
	"github.com/gophercloud/gophercloud/openstack"
	"github.com/gophercloud/gophercloud/openstack/dns/v2/recordsets"
	"github.com/gophercloud/gophercloud/openstack/dns/v2/zones"
)

const (
	patience  = 30 * time.Second
	pollEvery = 20 * time.Millisecond
	zoneName  = "terraformed.example."
	setName   = "www." + zoneName
	proofName = "_acme-challenge." + zoneName
	manySets  = 45
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	client, err := connect()
	if err != nil {
		return fmt.Errorf("logging in: %w", err)
	}
	zone, err := createZone(client)
	if err != nil {
		return fmt.Errorf("creating the zone: %w", err)
	}
	stages := []struct {
		name  string
		stage func(*gophercloud.ServiceClient, *zones.Zone) error
	}{
		{"updating the zone", updateZone},
		{"a record set", recordSet},
		{"a proof", proof},
		{"all pages", allPages},
		{"deleting the zone", deleteZone},
	}
	for _, each := range stages {
		if err := each.stage(client, zone); err != nil {
			return fmt.Errorf("%s: %w", each.name, err)
		}
	}
	return nil
}

func connect() (*gophercloud.ServiceClient, error) {
	options, err := openstack.AuthOptionsFromEnv()
	if err != nil {
		return nil, err
	}
	provider, err := openstack.AuthenticatedClient(options)
	if err != nil {
		return nil, err
	}
	return openstack.NewDNSV2(provider, gophercloud.EndpointOpts{Region: os.Getenv("OS_REGION_NAME")})
}

func createZone(client *gophercloud.ServiceClient) (*zones.Zone, error) {
	zone, err := zones.Create(client, zones.CreateOpts{
		Name:       zoneName,
		Email:      "ops@example.com",
		TTL:        300,
		Type:       "PRIMARY",
		Attributes: map[string]string{"tier": "gold"},
	}).Extract()
	if err != nil {
		return nil, err
	}
	tell("zone created", zoneState(zone))
	return zone, waitForZone(client, zone.ID, "zone served")
}

func updateZone(client *gophercloud.ServiceClient, zone *zones.Zone) error {
	description := "Kept by a program"
	changed, err := zones.Update(client, zone.ID, zones.UpdateOpts{
		TTL:         600,
		Description: &description,
	}).Extract()
	if err != nil {
		return err
	}
	tell("zone updated", zoneState(changed))
	return waitForZone(client, zone.ID, "its update served")
}

func deleteZone(client *gophercloud.ServiceClient, zone *zones.Zone) error {
	deleted, err := zones.Delete(client, zone.ID).Extract()
	if err != nil {
		return err
	}
	tell("zone deleted", zoneState(deleted))
	err = poll(func() (bool, error) {
		_, err := zones.Get(client, zone.ID).Extract()
		return isGone(err)
	})
	if err == nil {
		tell("zone gone")
	}
	return err
}

func recordSet(client *gophercloud.ServiceClient, zone *zones.Zone) error {
	set, err := recordsets.Create(client, zone.ID, recordsets.CreateOpts{
		Name:        setName,
		Type:        "A",
		TTL:         60,
		Description: "The front door",
		Records:     []string{"192.0.2.2", "192.0.2.1"},
	}).Extract()
	if err != nil {
		return err
	}
	tell("record set created", setState(set))
	if err := waitForSet(client, set, "record set served"); err != nil {
		return err
	}
	ttl := 30
	changed, err := recordsets.Update(client, zone.ID, set.ID, recordsets.UpdateOpts{
		TTL:     &ttl,
		Records: []string{"192.0.2.9"},
	}).Extract()
	if err != nil {
		return err
	}
	tell("record set updated", setState(changed))
	if err := waitForSet(client, set, "its update served"); err != nil {
		return err
	}
	if err := deleteSet(client, set); err != nil {
		return err
	}
	tell("record set gone", served(lookUpHost(setName)))
	return nil
}

// Two programs prove the same name at the same time: the second puts its text before that of the first.
func proof(client *gophercloud.ServiceClient, zone *zones.Zone) error {
	found, err := zoneNamed(client, zoneName)
	if err != nil {
		return err
	}
	first, err := recordsets.Create(client, found.ID, recordsets.CreateOpts{
		Name:        proofName,
		Type:        "TXT",
		TTL:         10,
		Description: "ACME verification record",
		Records:     []string{"first-text"},
	}).Extract()
	if err != nil {
		return err
	}
	tell("proof created", setState(first))
	known, err := setNamed(client, found.ID, proofName, "TXT")
	if err != nil {
		return err
	}
	second, err := recordsets.Update(client, found.ID, known.ID, recordsets.UpdateOpts{
		Description: &known.Description,
		TTL:         &known.TTL,
		Records:     append([]string{"second-text"}, known.Records...),
	}).Extract()
	if err != nil {
		return err
	}
	tell("proof extended", setState(second))
	texts, err := resolver().LookupTXT(context.Background(), proofName)
	if err != nil {
		return err
	}
	tell("proof served", texts)
	return deleteSet(client, second)
}

func allPages(client *gophercloud.ServiceClient, zone *zones.Zone) error {
	for i := 0; i < manySets; i++ {
		_, err := recordsets.Create(client, zone.ID, recordsets.CreateOpts{
			Name:    fmt.Sprintf("host-%d.%s", i, zoneName),
			Type:    "A",
			Records: []string{"192.0.2.1"},
		}).Extract()
		if err != nil {
			return err
		}
	}
	pages, err := recordsets.ListByZone(client, zone.ID, recordsets.ListOpts{Type: "A", Limit: 20}).AllPages()
	if err != nil {
		return err
	}
	sets, err := recordsets.ExtractRecordSets(pages)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, set := range sets {
		names[set.Name] = true
	}
	tell("all pages", map[string]int{"sets": len(sets), "names": len(names)})
	return nil
}

func zoneNamed(client *gophercloud.ServiceClient, name string) (*zones.Zone, error) {
	pages, err := zones.List(client, zones.ListOpts{Name: name}).AllPages()
	if err != nil {
		return nil, err
	}
	found, err := zones.ExtractZones(pages)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d zones are named %s", len(found), name)
	}
	return &found[0], nil
}

func setNamed(client *gophercloud.ServiceClient, zoneID, name, kind string) (*recordsets.RecordSet, error) {
	options := recordsets.ListOpts{Name: name, Type: kind}
	pages, err := recordsets.ListByZone(client, zoneID, options).AllPages()
	if err != nil {
		return nil, err
	}
	found, err := recordsets.ExtractRecordSets(pages)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d record sets are named %s", len(found), name)
	}
	return &found[0], nil
}

func waitForZone(client *gophercloud.ServiceClient, id, step string) error {
	var zone *zones.Zone
	err := poll(func() (bool, error) {
		var err error
		zone, err = zones.Get(client, id).Extract()
		return err == nil && zone.Status == "ACTIVE", err
	})
	if err == nil {
		tell(step, zoneState(zone))
	}
	return err
}

func waitForSet(client *gophercloud.ServiceClient, known *recordsets.RecordSet, step string) error {
	var set *recordsets.RecordSet
	err := poll(func() (bool, error) {
		var err error
		set, err = recordsets.Get(client, known.ZoneID, known.ID).Extract()
		return err == nil && set.Status == "ACTIVE", err
	})
	if err != nil {
		return err
	}
	tell(step, setState(set), served(lookUpHost(known.Name)))
	return nil
}

func deleteSet(client *gophercloud.ServiceClient, set *recordsets.RecordSet) error {
	if err := recordsets.Delete(client, set.ZoneID, set.ID).ExtractErr(); err != nil {
		return err
	}
	return poll(func() (bool, error) {
		_, err := recordsets.Get(client, set.ZoneID, set.ID).Extract()
		return isGone(err)
	})
}

// Whether an error says that there is no such thing; any other one is passed on.
func isGone(err error) (bool, error) {
	var notFound gophercloud.ErrDefault404
	if errors.As(err, &notFound) {
		return true, nil
	}
	return false, err
}

func poll(isDone func() (bool, error)) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(pollEvery) {
		done, err := isDone()
		if done || err != nil {
			return err
		}
	}
	return errors.New("it takes too long")
}

type state map[string]interface{}

func zoneState(zone *zones.Zone) state {
	return state{
		"name": zone.Name, "status": zone.Status, "action": zone.Action, "ttl": zone.TTL,
		"description": zone.Description, "masters": zone.Masters, "attributes": zone.Attributes,
		"version": zone.Version, "hasSerial": zone.Serial > 0, "isDated": !zone.CreatedAt.IsZero(),
	}
}

func setState(set *recordsets.RecordSet) state {
	return state{
		"name": set.Name, "status": set.Status, "action": set.Action, "ttl": set.TTL, "type": set.Type,
		"description": set.Description, "records": set.Records, "version": set.Version,
		"isDated": !set.CreatedAt.IsZero(),
	}
}

func served(addresses []string) state {
	return state{"served": addresses}
}

func tell(step string, states ...interface{}) {
	line, err := json.Marshal(append([]interface{}{step}, states...))
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

func resolver() *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, network, os.Getenv("DNS_SERVER"))
		},
	}
}

func lookUpHost(name string) []string {
	addresses, err := resolver().LookupHost(context.Background(), name)
	var failure *net.DNSError
	if errors.As(err, &failure) && failure.IsNotFound {
		return []string{}
	}
	if err != nil {
		return []string{err.Error()}
	}
	sort.Strings(addresses)
	return addresses
}

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parseAllDocuments } from 'yaml'
import { serverFolder } from '../helpers/server-folder.ts'

// The Debian package, in a root of its own that is this machine's with what is written on top, and a network of its own.
// There is no systemd in it: the test performs the unit's steps itself, and a socket replaces the service manager.

const folder = fileURLToPath(new URL('../../scripts/package/', import.meta.url))

function run(command: string, args: readonly string[], options = {}): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}${stderr}`)
  return stdout
}

/** Builds the package, and the next version of it. */
function build(t: Test): string {
  const directory = serverFolder(t)
  run(join(folder, 'build-deb.sh'), [directory, '1.0.0'])
  const [name = ''] = readdirSync(directory)
  const tree = join(directory, 'tree')
  run('dpkg-deb', ['-R', join(directory, name), tree])
  const control = join(tree, 'DEBIAN/control')
  writeFileSync(control, readFileSync(control, 'utf8').replace('Version: 1.0.0', 'Version: 1.0.1'))
  run('dpkg-deb', [
    '--root-owner-group',
    '-Zgzip',
    '-z1',
    '--build',
    tree,
    join(directory, '2.deb'),
  ])
  run('mv', [join(directory, name), join(directory, '1.deb')])
  return directory
}

const inRoot = `set -e
ip link set lo up
mkfifo /run/told
/usr/bin/python3 -uc '
import os, socket
told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
told.bind("/run/notify")
os.chmod("/run/notify", 0o777)
print("listening")
while True: print(told.recv(100).decode())
' > /run/told &
exec 3< /run/told
read -r _ <&3
start() {
  NOTIFY_SOCKET=/run/notify WATCHDOG_USEC=1000000 ZONEWRIGHT_DNS_LISTEN=0.0.0.0:53 zonewright > /run/log 2>&1 &
  server=$!
  for _ in 1 2; do read -r state <&3; echo "$1 $state"; done
}
stop() { kill $server; wait $server; echo "ended $?"; while read -r state <&3; do [ $state = WATCHDOG=1 ] || break; done; echo "$state"; }
link=/etc/systemd/system/multi-user.target.wants/zonewright.service
dpkg -i /run/packages/1.deb | grep systemd
ls $link
stat -c '%n %U %a' /var/lib/zonewright /var/backups/zonewright /etc/zonewright/zonewright.env
start first
zonewright zone create example.com --email ops@example.com > /dev/null
zonewright record set example.com www A 192.0.2.1
dig @127.0.0.1 www.example.com +short
zonewright backup /run/backup.tar > /dev/null && tar tf /run/backup.tar | head -n 1
stop
zonewright check | tail -n 1
find /var/lib/zonewright /var/backups/zonewright ! -user zonewright
echo 'ZONEWRIGHT_API_LISTEN="127.0.0.1:9100"' >> /etc/zonewright/zonewright.env
dpkg -i /run/packages/2.deb > /dev/null
dpkg-query -W zonewright
start second
dig @127.0.0.1 www.example.com +short
zonewright record list example.com --type a
stop
tail -n 1 /etc/zonewright/zonewright.env
dpkg -r zonewright > /dev/null
dpkg -i /run/packages/2.deb > /dev/null
zonewright check | tail -n 1
dpkg -r zonewright > /dev/null
ls -d /usr/lib/zonewright /usr/bin/zonewright /var/lib/zonewright/manifest.json /etc/zonewright/zonewright.env 2>/dev/null || true
dpkg -P zonewright | grep kept
ls -d $link /etc/zonewright /var/lib/zonewright/manifest.json 2>/dev/null || true
echo done
`

t.test('the package is installed, started, upgraded and removed, and the data stay', async t => {
  const packages = build(t)
  const script = `set -e
mount -t tmpfs tmpfs /mnt && mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
mount --rbind /dev /mnt/root/dev && mount -t proc proc /mnt/root/proc && mount -t tmpfs tmpfs /mnt/root/run
mkdir /mnt/root/run/packages && mount --bind ${packages} /mnt/root/run/packages
PATH=/usr/sbin:/usr/bin:/sbin:/bin exec chroot /mnt/root sh`
  const words = ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sh', '-c', script]
  const printed = run('unshare', words, { input: inRoot, timeout: 300_000 })
  t.same(printed.trimEnd().split('\n'), [
    'systemd does not run here: start the server with the command zonewright',
    '/etc/systemd/system/multi-user.target.wants/zonewright.service',
    '/var/lib/zonewright zonewright 700',
    '/var/backups/zonewright zonewright 700',
    '/etc/zonewright/zonewright.env root 640',
    'first READY=1',
    'first WATCHDOG=1',
    'www.example.com.  -    A     192.0.2.1',
    '192.0.2.1',
    'backup.json',
    'ended 0',
    'STOPPING=1',
    'Differences: none',
    'zonewright\t1.0.1',
    'second READY=1',
    'second WATCHDOG=1',
    '192.0.2.1',
    'www.example.com.  -    A     192.0.2.1',
    'ended 0',
    'STOPPING=1',
    'ZONEWRIGHT_API_LISTEN="127.0.0.1:9100"',
    'Differences: none',
    '/etc/zonewright/zonewright.env',
    '/var/lib/zonewright/manifest.json',
    '/var/lib/zonewright is kept; remove it where its zones are not needed any more',
    '/var/backups/zonewright is kept; remove it where its zones are not needed any more',
    '/var/lib/zonewright/manifest.json',
    'done',
  ])
})

t.test('the unit is sound, and exposes little', async t => {
  const unit = join(serverFolder(t), 'zonewright.service')
  const text = readFileSync(join(folder, 'zonewright.service'), 'utf8')
  // The program that it starts is not installed here.
  writeFileSync(
    unit,
    text.replace('/usr/bin/zonewright', '/bin/true').replace(/^Documentation=.*$/m, ''),
  )
  t.equal(run('systemd-analyze', ['verify', unit]), '')
  const printed = run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
  const level = Number(/exposure level for \S+: ([\d.]+)/.exec(printed)?.[1])
  t.ok(level < 2, `${level}`)
})

t.test(
  'the files for compose and the chart are YAML, and name settings that there are',
  async t => {
    const settings = readFileSync(new URL('../../src/config/settings.ts', import.meta.url), 'utf8')
    for (const name of ['compose.yaml', 'helm/Chart.yaml', 'helm/values.yaml']) {
      const text = readFileSync(join(folder, name), 'utf8')
      for (const { errors } of parseAllDocuments(text)) t.same(errors, [], name)
      for (const [setting] of text.matchAll(/ZONEWRIGHT_\w+/g))
        t.match(settings, `  ${setting}: {`, `${name}: ${setting}`)
    }
  },
)

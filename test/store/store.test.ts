import t from 'tap'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { storeContract } from '../helpers/store-contract.ts'

storeContract(t, 'memory', async (_, clock) => openMemoryStore({ clock }))
storeContract(t, 'lowdb', (_, clock) =>
  openLowdbStore({ directory: '/data', clock, files: new SimulatedDisk() }),
)

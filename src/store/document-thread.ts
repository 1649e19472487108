import { parentPort } from 'node:worker_threads'
import { realFiles } from '../durable/file-system.ts'
import { readPacked } from './zone-documents.ts'

// What a thread of `DocumentReader` runs: it reads documents, and gives the memory of their record sets away.

/** Documents that are to be read, with a number that the reply repeats. */
export type DocumentRequest = { readonly number: number; readonly paths: readonly string[] }

parentPort?.on('message', async ({ number, paths }: DocumentRequest) => {
  const found = await readPacked(realFiles, paths)
  const memory = found.flatMap(({ document }) => document?.recordsets.buffer ?? [])
  parentPort?.postMessage({ number, found }, memory)
})

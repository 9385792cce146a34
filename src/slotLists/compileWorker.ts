/** The thread in which {@link compileInWorker} compiles. */
import { parentPort, workerData } from 'node:worker_threads';
import { compileLists, type ListText } from './compile.ts';

parentPort?.postMessage(await compileLists(workerData as readonly ListText[]));

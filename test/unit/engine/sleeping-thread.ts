import { parentPort } from 'node:worker_threads';

// A thread that never comes to an end by itself.
parentPort?.on('message', () => {});

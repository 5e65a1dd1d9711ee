import { createAudioEncoder } from '../../../src/audio/encoder.ts';
import { createEngine } from '../../../src/engine/builtin.ts';
import { createLog } from '../../../src/log.ts';
import { createAccounts } from '../../../src/service/accounts.ts';
import { createService } from '../../../src/service/service.ts';
import { openStore } from '../../../src/service/store/store.ts';

// A process of the service whose reservations outlive it only for a moment. Prints its address.

const [databaseUrl = '', leaseMs = ''] = process.argv.slice(2);
const log = createLog('silent');
const store = await openStore(databaseUrl, log);
const engine = createEngine({ workers: 1 });
const service = createService({
  engine,
  encoder: createAudioEncoder(),
  store,
  authenticate: createAccounts(store.db).authenticate,
  leaseMs: Number(leaseMs),
  log,
});
await engine.ready();
console.log(await service.listen({ host: '127.0.0.1', port: 0 }));

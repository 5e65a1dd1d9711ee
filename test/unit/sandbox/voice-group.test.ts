import { DAVESession } from '@snazzah/davey';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { readCommit } from '../../../src/sandbox/voice/dave/commit.ts';
import { u8, vector } from '../../../src/sandbox/voice/dave/encoding.ts';
import { ExternalSender } from '../../../src/sandbox/voice/dave/external-sender.ts';
import type { Listener } from '../../../src/sandbox/voice/listener.ts';

const CHANNEL = '987654321012345678';

test('whoever comes and goes in whatever order, those who are there share one group', async () => {
  await using sandbox = await startSandbox();
  const { voice, world, team } = sandbox;
  const people = Array.from({ length: 5 }, (_, i) =>
    world.addMember(team.guild, { name: `Person ${i}` }),
  );
  const [lounge] = team.voice;
  const step = fc.record({
    who: fc.constantFrom(...people),
    // Turns of the event loop until the next step: changes meet transitions at every stage.
    pause: fc.nat(6),
    newGroup: fc.boolean(),
  });
  const codes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 16 }), async (steps) => {
      const entering: Promise<Listener>[] = [];
      for (const { who, pause, newGroup } of steps) {
        if (voice.state(who)) voice.leave(who);
        else entering.push(voice.listen(lounge, { as: who }));
        if (newGroup && pause === 0) voice.call(lounge).dave.startOver();
        for (let turn = 0; turn < pause; turn += 1) await Promise.resolve();
      }
      await Promise.all(entering);
      const present = people.filter((member) => voice.state(member));
      const listeners = await Promise.all(
        present.map((member) => voice.listen(lounge, { as: member })),
      );
      await Promise.resolve();
      const [code, ...others] = new Set(listeners.map(({ privacyCode }) => privacyCode));
      expect(others).toEqual([]);
      if (present.length > 1) expect(code).toMatch(/^\d{30}$/);
      if (code) expect(codes).not.toContain(code);
      if (code) codes.add(code);
      for (const member of present) voice.leave(member);
    }),
    { numRuns: 40 },
  );
});

/** Somebody alone in a call who knows the sender, and another's key package. */
function alone(sender: ExternalSender) {
  const member = new DAVESession(1, '111', CHANNEL);
  member.setExternalSender(sender.package);
  const other = new DAVESession(1, '222', CHANNEL);
  other.setExternalSender(sender.package);
  return { member, other, keyPackage: other.getSerializedKeyPackage() };
}

test('a proposal of the voice server becomes a commit and a welcome that the newcomer can use', () => {
  const sender = new ExternalSender();
  const { member, other, keyPackage } = alone(sender);
  const { message, reference } = sender.propose(CHANNEL, 0n, { add: keyPackage, userId: '222' });

  const { commit, welcome } = member.processProposals(0, vector(message), ['111', '222']);
  if (!commit || !welcome) throw new Error('There is no commit');
  const read = readCommit(Buffer.concat([commit, welcome]));
  member.processCommit(read.message);
  other.processWelcome(read.welcome);

  expect(read).toMatchObject({ epoch: 0n, leaf: 0, references: [reference] });
  expect(read.message.equals(commit)).toBe(true);
  expect(other.voicePrivacyCode).toBe(member.voicePrivacyCode);
  expect(other.getUserIds().sort()).toEqual(['111', '222']);
  const frame = member.encryptOpus(Buffer.from('0123456789'));
  expect(other.decrypt('111', 0, frame).toString()).toBe('0123456789');
});

test.each<[string, (sender: ExternalSender, keyPackage: Buffer) => Buffer]>([
  [
    'of another sender',
    (_sender, add) =>
      vector(new ExternalSender().propose(CHANNEL, 0n, { add, userId: '222' }).message),
  ],
  [
    'with a flipped bit',
    (sender, add) => {
      const { message } = sender.propose(CHANNEL, 0n, { add, userId: '222' });
      message[40] = (message[40] ?? 0) ^ 1;
      return vector(message);
    },
  ],
  [
    'of another epoch',
    (sender, add) => vector(sender.propose(CHANNEL, 5n, { add, userId: '222' }).message),
  ],
  [
    'of another call',
    (sender, add) => vector(sender.propose('1', 0n, { add, userId: '222' }).message),
  ],
  [
    'without its length',
    (sender, add) => sender.propose(CHANNEL, 0n, { add, userId: '222' }).message,
  ],
])('a proposal %s is refused', (_what, proposal) => {
  const sender = new ExternalSender();
  const { member, keyPackage } = alone(sender);
  const payload = proposal(sender, keyPackage);
  expect(() => member.processProposals(0, payload, ['111', '222'])).toThrow();
});

test('somebody whom the voice server never announced is not taken in', () => {
  const sender = new ExternalSender();
  const { member, keyPackage } = alone(sender);
  const { message } = sender.propose(CHANNEL, 0n, { add: keyPackage, userId: '222' });
  expect(() => member.processProposals(0, vector(message), ['111'])).toThrow();
});

test('what is no commit is refused', () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from([0, 1, 0, 1]), Buffer.alloc(300, 0xff)]) {
    expect(() => readCommit(bytes)).toThrow(RangeError);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(() => readCommit(Buffer.concat([u8(0), bytes]))).toThrow(RangeError);
    }),
  );
});

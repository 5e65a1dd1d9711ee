import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,e2e}/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // What is waited for comes when it comes: a busy machine is no failure.
    expect: { poll: { timeout: 10_000 } },
  },
});

/* tests/totals.ts — a reporter: one line per test, what a failing one said, and the totals as the other test programs print them. */
import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';

export default class Totals implements Reporter {
  #counts = { passed: 0, failed: 0, skipped: 0 };

  onTestEnd(test: TestCase, result: TestResult): void {
    const word = result.status === 'passed' ? 'passed' : result.status === 'skipped' ? 'skipped' : 'failed';
    this.#counts[word] += 1;
    console.log(`${word} ${test.titlePath().slice(2).join(' › ')} ${(result.duration / 1000).toFixed(1)} s`);
    // The measures of a test, and its words.
    for (const { type, description = '' } of test.annotations) console.log(`  ${type}: ${description}`);
    for (const chunk of result.stdout) process.stdout.write(`  ${String(chunk).replace(/\n?$/, '\n')}`);
    for (const error of result.errors) console.log(error.stack ?? error.message ?? '');
  }

  onEnd(result: FullResult): void {
    const { passed, failed, skipped } = this.#counts;
    const lost = result.status !== 'passed' && failed === 0 ? 1 : 0; // It broke outside of a test.
    console.log(`${passed} passed, ${failed + lost} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }
}

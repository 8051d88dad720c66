// Acts that the server hasn't confirmed yet: numbered in their order, and sent again until they are.
const RETRY_MS = [4000, 8000, 10000];

class Outbox {
  constructor(told) {
    this.page = Math.random().toString(36).slice(2) + Date.now().toString(36);
    this.told = told; // what is called after each attempt
    this.number = 0;
    this.pending = [];
    this.sent = 0;
    this.attempt = 0;
    this.tries = 0;
  }

  add(act) {
    this.number += 1;
    this.pending.push({ number: this.number, ...act });
    if (this.pending.length === 1) this.send();
    else this.told();
  }

  send() {
    if (!this.pending.length) return;
    this.sent = this.number;
    this.attempt += 1; // the same message twice would not be sent
    this.tell({ page: this.page, attempt: this.attempt, acts: [...this.pending] });
    this.wait();
    this.tries += 1;
    this.told();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)]);
  }

  // The acts that are done with now, done or refused.
  confirm(page, number) {
    if (page !== this.page) return this.hold();
    const over = this.pending.filter((act) => act.number <= number);
    this.pending = this.pending.filter((act) => act.number > number);
    if (over.length) this.tries = 0;
    if (!this.pending.length) clearTimeout(this.timer);
    else if (number >= this.sent) this.send();
    else this.wait();
    return over;
  }

  hold() {
    if (this.pending.length) this.wait();
    return [];
  }
}

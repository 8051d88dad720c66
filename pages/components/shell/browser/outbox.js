// What the server hasn't confirmed yet: numbered in its order, and sent again until it is. Placed before the script that
// uses it; `name` is what the messages call it, `told` is called after each attempt.
const RETRY_MS = [4000, 8000, 10000];

class Outbox {
  constructor(name, told) {
    this.page = Math.random().toString(36).slice(2) + Date.now().toString(36);
    this.name = name;
    this.told = told;
    this.number = 0;
    this.pending = [];
    this.sent = 0;
    this.attempt = 0;
    this.tries = 0;
  }

  add(entry) {
    this.pending.push(this.numbered(entry));
    if (this.pending.length === 1) this.send();
    else this.told();
  }

  send() {
    if (!this.pending.length) return;
    this.sent = this.number;
    this.attempt += 1; // the same message twice would not be sent
    this.tell({ page: this.page, attempt: this.attempt, [this.name]: [...this.pending] });
    this.wait();
    this.tries += 1;
    this.told();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)]);
  }

  // What was left from before, to be sent once the server draws.
  restore(entries) {
    this.pending = entries.map((entry) => this.numbered(entry));
  }

  numbered(entry) {
    this.number += 1;
    return { ...entry, number: this.number };
  }

  // Those that are done with now, done or refused.
  confirm(page, number) {
    if (page !== this.page) return this.hold();
    const over = this.pending.filter((entry) => entry.number <= number);
    this.pending = this.pending.filter((entry) => entry.number > number);
    if (over.length) this.tries = 0;
    if (!this.pending.length) clearTimeout(this.timer);
    else if (number >= this.sent) this.send();
    else this.wait();
    return over;
  }

  hold() {
    if (this.pending.length && !this.sent) this.send();
    else if (this.pending.length) this.wait();
    return [];
  }
}

'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];
  const data = JSON.parse(byId('data').textContent);
  const { names, looks, words, time, whole } = data;
  const digits = { minimumFractionDigits: data.decimals, maximumFractionDigits: data.decimals };
  const number = (stored) => `${(stored / data.one).toLocaleString('en-US', digits)} ${data.unit}`.trim();
  const share = (part, of) => `${((part / (of || 1)) * 100).toFixed(1)} %`;
  const amount = (stored) => `${number(stored)} (${share(stored, whole)})`;
  const element = (tag, text, look) => {
    const made = document.createElement(tag);
    made.textContent = text;
    made.className = look ?? '';
    return made;
  };

  // The frames in preorder: a callee begins where its caller's last one ended.
  const frames = [];
  const open = [];
  const starts = [0];
  for (let at = 0; at < data.frames.length; at += 3) {
    const [depth, name, value] = data.frames.slice(at, at + 3);
    while (open.length > depth) open.pop().end = frames.length;
    const frame = { depth, name, value, start: starts[depth] };
    starts[depth] += value;
    starts[depth + 1] = frame.start;
    open.push(frame);
    frames.push(frame);
  }
  for (const frame of open) frame.end = frames.length;

  const graph = byId('graph');
  let zoomed = 0;
  let hits = null;

  function draw() {
    const root = frames[zoomed];
    const narrowest = root.value / (graph.clientWidth || 800);
    const drawn = document.createDocumentFragment();
    let deepest = 0;
    for (let at = 0; at < frames.length; at++) {
      const frame = frames[at];
      const isAbove = at < zoomed && frame.end > zoomed;
      const isBelow = at >= zoomed && at < root.end && frame.value >= narrowest;
      if (!isAbove && !isBelow) {
        at = frame.end - 1;
        continue;
      }
      const width = isAbove ? 1 : frame.value / root.value;
      const isThin = width * graph.clientWidth < 20;
      const made = element('i', isThin ? '' : names[frame.name], `c${looks[frame.name]}`);
      made.dataset.at = at;
      made.style.left = `${isAbove ? 0 : ((frame.start - root.start) / root.value) * 100}%`;
      made.style.width = `${width * 100}%`;
      made.style.top = `${frame.depth * 18}px`;
      made.classList.toggle('thin', isThin);
      made.classList.toggle('off', hits !== null && !hits[frame.name]);
      drawn.append(made);
      deepest = Math.max(deepest, frame.depth);
    }
    graph.replaceChildren(drawn);
    graph.style.height = `${(deepest + 1) * 18}px`;
  }

  const frameOf = (event) => frames[event.target.dataset.at];
  const tell = (frame) => {
    byId('frame').textContent = `${names[frame.name]}: ${amount(frame.value)}`;
  };
  graph.addEventListener('click', (event) => {
    const frame = frameOf(event);
    if (!frame) return;
    zoomed = frames.indexOf(frame);
    tell(frame);
    draw();
  });
  graph.addEventListener('mouseover', (event) => {
    const frame = frameOf(event);
    if (frame) tell(frame);
  });

  // Search: lights up frames, and leaves the rows of tables that match.
  const field = byId('search');
  function search() {
    const wanted = field.value.trim().toLowerCase();
    const has = (text) => text.toLowerCase().includes(wanted);
    hits = wanted === '' ? null : names.map(has);
    let sum = 0;
    for (let at = 0; hits && at < frames.length; at++) {
      const frame = frames[at];
      if (!hits[frame.name]) continue;
      // what it calls is in its value
      sum += frame.value;
      at = frame.end - 1;
    }
    const found = new Set(frames.map((frame) => frame.name).filter((name) => hits?.[name]));
    byId('found').textContent = hits ? `${found.size} ${words.found} ${amount(sum)}` : '';
    for (const row of all('#hotspots tbody tr')) row.hidden = hits !== null && !has(row.textContent);
    for (const method of all('#callers details')) method.hidden = hits !== null && !has(method.textContent);
    draw();
  }
  field.addEventListener('input', search);
  document.addEventListener('click', (event) => {
    const method = event.target.closest('td b, #moment b');
    if (!method) return;
    field.value = method.textContent;
    search();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    } else if (event.key === 'Escape' && (field.value || zoomed)) {
      field.value = '';
      zoomed = 0;
      search();
    }
  });

  // Lanes: a bar for each bucket, waiting behind what runs.
  const path = (values, full) => {
    const bar = (stored, at) => {
      const height = Math.min(1, stored / full) * 7 + (stored > 0 ? 1 : 0);
      return height ? `M${at} 8v-${height.toFixed(2)}h1v${height.toFixed(2)}z` : '';
    };
    return values.map(bar).join('');
  };
  const rows = all('.lane.of');
  const bucketOf = (event, picture) => {
    const { left, width } = picture.getBoundingClientRect();
    const bucket = Math.floor(((event.clientX - left) / width) * time.buckets);
    return Math.max(0, Math.min(time.buckets - 1, bucket));
  };
  function moment(lane, bucket) {
    let row = -1;
    let seen = 0;
    for (const [stack, count] of lane.stacks ?? []) {
      if (bucket >= seen && bucket < seen + count) row = stack;
      seen += count;
    }
    const at = time.from_ns + ((time.to_ns - time.from_ns) * bucket) / time.buckets;
    const runs = share(lane.running[bucket], lane.full);
    const waits = lane.waiting[bucket] > 0 ? `, ${share(lane.waiting[bucket], lane.full)} ${words.waits}` : '';
    const text = `${lane.name || words.all}, ${(at / 1e9).toFixed(3)} s: ${runs} ${words.runs}${waits}`;
    const stack = element('ol', '');
    for (let at = row; at !== null && at >= 0; at = time.stacks[at][0]) {
      const item = element('li', '');
      item.append(element('b', names[time.stacks[at][1]]));
      stack.append(item);
    }
    const none = lane.stacks && row < 0 ? `; ${words.no_stack}` : '';
    byId('moment').replaceChildren(element('div', text + none), ...(row < 0 ? [] : [stack]));
  }
  const put = (picture, kind, line) => picture.querySelector(kind).setAttribute('d', line);
  rows.forEach((row, at) => {
    const lane = time.lanes[at];
    const picture = row.querySelector('svg');
    put(picture, '.run', path(lane.running, lane.full));
    put(picture, '.wait', path(lane.waiting, lane.full));
    picture.addEventListener('click', (event) => {
      const bucket = bucketOf(event, picture);
      for (const other of rows) {
        other.classList.toggle('here', other === row);
        put(other, '.cursor', `M${bucket} 0h.6v8h-.6z`);
      }
      moment(lane, bucket);
    });
  });
  all('.lane .mark').forEach((mark, at) => {
    const starts = time.marks[at].map((count, bucket) => (count ? `M${bucket} 1h1v6h-1z` : ''));
    mark.setAttribute('d', starts.join(''));
  });

  addEventListener('resize', draw);
  addEventListener('beforeprint', () => {
    for (const closed of all('details')) closed.open = true;
  });
  tell(frames[0]);
  draw();
})();

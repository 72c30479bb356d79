-- SPDX-License-Identifier: Apache-2.0
-- PUT of keyNumber0, keyNumber1, ... in this order, values of 690 bytes: the load of report 001.
-- Arguments: [FIRST [THREADS [QUERY [BYTES [FORMAT]]]]], the first number (0), what -t says (1), more parameters, as
-- "&ack=1&from=1", a value's length (690), and what an id looks like (keyNumber%d; report 002's are k%010d, with values of 11 bytes).
-- The threads take turns: thread i writes FIRST+i, FIRST+i+THREADS, ..., so each key is written once.
--
--   wrk -t1 -c1 -d30s -R30000 -L -s put-sequential.lua http://localhost:8080
--   wrk -t2 -c64 -d30s -R30000 -L -s put-sequential.lua http://localhost:8080 -- 0 2

local TEXT = "0123456789abcdefghijklmnopqrstuvwxyz "
local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

function init(args)
  step = tonumber(args[2]) or 1
  assert(thread_index < step, "put-sequential.lua: with -t N say how many threads take turns: URL -- FIRST N")
  number = (tonumber(args[1]) or 0) + thread_index
  query = args[3] or ""
  local bytes = tonumber(args[4]) or 690
  value = string.rep(TEXT, math.ceil(bytes / #TEXT)):sub(1, bytes)
  format = args[5] or "keyNumber%d"
  discarded = thread_index > 0 -- wrk2 makes one request on its first thread that it does not send
end

function request()
  local id = string.format(format, number)
  if discarded then
    number = number + step
  end
  discarded = true
  return wrk.format("PUT", "/v0/entity?id=" .. id .. query, nil, value)
end

-- SPDX-License-Identifier: Apache-2.0
-- PUT of keyNumber0, keyNumber1, ... in this order, values of 690 bytes: the load of report 001.
-- Arguments: [FIRST [THREADS [QUERY]]], the first number (0), what -t says (1), and more parameters, as "&ack=1&from=1". The
-- threads take turns: thread i writes FIRST+i, FIRST+i+THREADS, ..., so each key is written once.
--
--   wrk -t1 -c1 -d30s -R30000 -L -s put-sequential.lua http://localhost:8080
--   wrk -t2 -c64 -d30s -R30000 -L -s put-sequential.lua http://localhost:8080 -- 0 2

local VALUE_BYTES = 690
local value = string.rep("0123456789abcdefghijklmnopqrstuvwxyz ", 20):sub(1, VALUE_BYTES)

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
  discarded = thread_index > 0 -- wrk2 makes one request on its first thread that it does not send
end

function request()
  local id = "keyNumber" .. number
  if discarded then
    number = number + step
  end
  discarded = true
  return wrk.format("PUT", "/v0/entity?id=" .. id .. query, nil, value)
end

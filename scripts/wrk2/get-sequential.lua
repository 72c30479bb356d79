-- SPDX-License-Identifier: Apache-2.0
-- GET of keyNumber0, keyNumber1, ... in this order: the load of report 001 on what put-sequential.lua wrote.
-- Arguments: [RECORDS [THREADS]], how many there are, after which it starts again (without it the numbers only grow), and what -t
-- says (1). The threads take turns: thread i reads i, i+THREADS, ...
--
--   wrk -t1 -c1 -d30s -R3000 -L -s get-sequential.lua http://localhost:8080 -- 900000

local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

function init(args)
  records = tonumber(args[1]) or math.huge
  step = tonumber(args[2]) or 1
  assert(thread_index < step, "get-sequential.lua: with -t N say how many threads take turns: URL -- RECORDS N")
  number = thread_index
end

function request()
  local id = "keyNumber" .. number
  number = number + step
  if number >= records then
    number = thread_index
  end
  return wrk.format("GET", "/v0/entity?id=" .. id)
end

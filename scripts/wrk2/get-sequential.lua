-- SPDX-License-Identifier: Apache-2.0
-- GET of keyNumber0, keyNumber1, ... in this order: the load of report 001 on what put-sequential.lua wrote.
-- Arguments: [RECORDS], how many there are; after the last it starts again (without it the numbers only grow).
-- With -t N the threads take turns: thread i reads i, i+N, ...
--
--   wrk -t1 -c1 -d30s -R3000 -L -s get-sequential.lua http://localhost:8080 -- 900000

local threads = {}

function setup(thread)
  thread:set("thread_index", #threads)
  table.insert(threads, thread)
  for _, each in ipairs(threads) do
    each:set("thread_count", #threads)
  end
end

function init(args)
  records = tonumber(args[1])
  number = thread_index
end

function request()
  local id = "keyNumber" .. number
  number = number + thread_count
  if records and number >= records then
    number = thread_index
  end
  return wrk.format("GET", "/v0/entity?id=" .. id)
end

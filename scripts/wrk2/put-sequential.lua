-- SPDX-License-Identifier: Apache-2.0
-- PUT of keyNumber0, keyNumber1, ... in this order, values of 690 bytes: the load of report 001.
-- Arguments: [FIRST], the first number (0).
-- With -t N the threads take turns: thread i writes FIRST+i, FIRST+i+N, ..., so no key is written twice.
--
--   wrk -t1 -c1 -d30s -R30000 -L -s put-sequential.lua http://localhost:8080

local VALUE_BYTES = 690
local value = string.rep("0123456789abcdefghijklmnopqrstuvwxyz ", 20):sub(1, VALUE_BYTES)

local threads = {}

function setup(thread)
  thread:set("thread_index", #threads)
  table.insert(threads, thread)
  for _, each in ipairs(threads) do
    each:set("thread_count", #threads)
  end
end

function init(args)
  number = (tonumber(args[1]) or 0) + thread_index
end

function request()
  local id = "keyNumber" .. number
  number = number + thread_count
  return wrk.format("PUT", "/v0/entity?id=" .. id, nil, value)
end

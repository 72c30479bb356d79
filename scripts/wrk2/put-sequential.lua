-- SPDX-License-Identifier: Apache-2.0
-- PUT keyNumber0, keyNumber1, ... with values of 690 bytes: the load of report 001.
-- With -t N thread i writes every N-th number, so together the threads write each key once.
--
--   wrk -t1 -c1 -d30s -R30000 -L -s put-sequential.lua http://localhost:8080

local threads = 0

function setup(thread)
  thread:set("first", threads)
  threads = threads + 1
  thread:set("step", threads)
  previous = previous or {}
  for _, earlier in ipairs(previous) do
    earlier:set("step", threads)
  end
  table.insert(previous, thread)
end

local value = string.rep("log-structured merge. ", 32):sub(1, 690)

function request()
  local id = "keyNumber" .. first
  first = first + step
  return wrk.format("PUT", "/v0/entity?id=" .. id, nil, value)
end

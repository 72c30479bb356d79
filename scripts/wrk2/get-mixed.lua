-- SPDX-License-Identifier: Apache-2.0
-- GET of report 002's ids, half of them there and half missing, in random order: get-existing.lua and get-missing.lua in one.
-- Arguments: RECORDS inside|outside [SEED]. Each thread draws from a stream of its own; a seed repeats a run, without one each differs.
--
--   wrk -t1 -c1 -d60s -R100 -L -s get-mixed.lua http://localhost:8080 -- 1000000 outside

local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

function init(args)
  records = assert(tonumber(args[1]), "get-mixed.lua: say how many records there are: URL -- RECORDS inside|outside")
  where = args[2]
  assert(where == "inside" or where == "outside", "get-mixed.lua: say where the missing ids are: URL -- RECORDS inside|outside")
  math.randomseed((tonumber(args[3]) or os.time()) * 1000 + thread_index)
end

function request()
  local id = string.format("k%010d", math.random(0, records - 1))
  if math.random(2) == 1 then
    id = where == "outside" and "k-1" or id .. "x"
  end
  return wrk.format("GET", "/v0/entity?id=" .. id)
end

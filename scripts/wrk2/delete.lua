-- SPDX-License-Identifier: Apache-2.0
-- DELETE of keyNumber<n>, n drawn evenly from the records that put-sequential.lua wrote; an id that is drawn again is deleted again.
-- Arguments: RECORDS [SEED]. Each thread draws from a stream of its own; a seed repeats a run, without one each differs.
--
--   wrk -t1 -c1 -d30s -R3000 -L -s delete.lua http://localhost:8080 -- 900000

local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

function init(args)
  records = assert(tonumber(args[1]), "delete.lua: say how many records there are: URL -- RECORDS")
  math.randomseed((tonumber(args[2]) or os.time()) * 1000 + thread_index)
end

function request()
  return wrk.format("DELETE", "/v0/entity?id=keyNumber" .. math.random(0, records - 1))
end

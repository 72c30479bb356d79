-- SPDX-License-Identifier: Apache-2.0
-- PUT of random ids of 3 to 10 lower-case letters and digits, with random values of 100 to 200 bytes: the load of report 000.
-- Arguments: [SEED [IDS]]. Each thread draws from a stream of its own; a seed repeats a run, without one each differs. With IDS the ids are keyNumber0 to
-- keyNumber<IDS-1> instead, drawn evenly, so that most writes replace an older value.
--
--   wrk -t1 -c1 -d10s -R9000 -L -s put-random.lua http://localhost:8080

local LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
local threads = 0

function setup(thread)
  thread:set("thread_index", threads)
  threads = threads + 1
end

local function letters(count)
  local text = ""
  for _ = 1, count do
    local at = math.random(#LETTERS)
    text = text .. LETTERS:sub(at, at)
  end
  return text
end

-- A value is cut out of one long random text: made letter by letter it would limit the rate.
function init(args)
  math.randomseed((tonumber(args[1]) or os.time()) * 1000 + thread_index)
  noise = letters(10000)
  ids = tonumber(args[2])
end

function request()
  local from = math.random(#noise - 200)
  local value = noise:sub(from, from + math.random(99, 199))
  return wrk.format("PUT", "/v0/entity?id=" .. (ids and "keyNumber" .. math.random(0, ids - 1) or letters(math.random(3, 10))), nil, value)
end

-- SPDX-License-Identifier: Apache-2.0
-- PUT of report 002's ids, k0000000000 and up, each once and in an order drawn at random: every flush covers the whole range of keys, so runs overlap.
-- Arguments: RECORDS [BYTES [SEED]], a value's length (100). After RECORDS puts it begins again. For one thread.
--
--   wrk -t1 -c16 -d10s -R9000 -L -s put-shuffled.lua http://localhost:8080 -- 40000

local TEXT = "0123456789abcdefghijklmnopqrstuvwxyz "

function init(args)
  records = assert(tonumber(args[1]), "put-shuffled.lua: say how many records there are: URL -- RECORDS [BYTES [SEED]]")
  local bytes = tonumber(args[2]) or 100
  value = string.rep(TEXT, math.ceil(bytes / #TEXT)):sub(1, bytes)
  math.randomseed(tonumber(args[3]) or 1)
  order = {}
  for i = 1, records do
    local place = math.random(i)
    order[i] = order[place]
    order[place] = i - 1
  end
  next_put = 1
end

function request()
  local id = string.format("k%010d", order[next_put])
  if discarded then
    next_put = next_put % records + 1
  end
  discarded = true -- wrk2 makes one request that it does not send
  return wrk.format("PUT", "/v0/entity?id=" .. id, nil, value)
end

-- SPDX-License-Identifier: Apache-2.0
-- GET of one id, again and again: what it needs stays in every cache there is.
-- Arguments: [ID] (k0010000000, report 002's).
--
--   wrk -t1 -c1 -d60s -R500 -L -s get-fixed.lua http://localhost:8080 -- k0000500000

function init(args)
  id = args[1] or "k0010000000"
end

function request()
  return wrk.format("GET", "/v0/entity?id=" .. id)
end

What "verbench list" does not take.

$ verbench list extra
! verbench: list takes no operands: "extra"
= 2
$ verbench list -d rxe0
! verbench: -d is not an option of list, only of tests, copy, serve, place, setup, check
= 2
$ verbench list --bogus
! verbench: "--bogus" is not an option
= 2
$ verbench list xml
! verbench: list takes no operands: "xml"
= 2
$ verbench list --topology csv
! verbench: list takes no operands: "csv"
= 2
$ verbench list --topology xml xml
! verbench: list takes no operands: "xml"
= 2

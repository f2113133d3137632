module disburse.example/program

go 1.24

require disburse.example/generated/client v0.0.0

replace disburse.example/generated/client => ./client

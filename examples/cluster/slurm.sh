#!/bin/sh
# sbatch examples/cluster/slurm.sh: one process for each node, which uses all its cores; the run lies where all nodes see it.
#SBATCH --job-name=troel
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=24:00:00
#SBATCH --signal=TERM@300
#SBATCH --requeue
#SBATCH --open-mode=append

# `champion` begins where there is nothing to resume.
srun --mpi=pmix --cpus-per-task="$SLURM_CPUS_PER_TASK" --kill-on-bad-exit=1 \
  troel train champion --distributed --set ppo.shards=64 --threads "$SLURM_CPUS_PER_TASK" --run "${RUN:-runs/champion}" --resume && exit

# Five minutes before its end the steps of the job get SIGTERM: the first process saves, and the job waits for its next turn.
if [ "${SLURM_RESTART_COUNT:-0}" -lt 20 ]; then scontrol requeue "$SLURM_JOB_ID"; fi

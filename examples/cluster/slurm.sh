#!/bin/sh
# sbatch examples/cluster/slurm.sh
#
# One process per node, which uses all its cores. All nodes must see the folder of the run.
#SBATCH --job-name=troel
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=24:00:00
#SBATCH --signal=TERM@300
#SBATCH --requeue
#SBATCH --open-mode=append

# Starts a new run if there is nothing to resume.
srun --mpi=pmix --cpus-per-task="$SLURM_CPUS_PER_TASK" --kill-on-bad-exit=1 \
  troel train champion --distributed --set ppo.shards=4 --threads "$SLURM_CPUS_PER_TASK" \
  --run "${RUN:-runs/champion}" --resume && exit

# Five minutes before the time limit, the steps of the job get SIGTERM. The first process saves a
# checkpoint, and the job is queued again.
if [ "${SLURM_RESTART_COUNT:-0}" -lt 20 ]; then scontrol requeue "$SLURM_JOB_ID"; fi

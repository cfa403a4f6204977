#!/bin/bash
# Every check that needs a GPU, in one call, on a machine whose python3 has torch, Triton, numpy and pytest
# (further packages may come through PYTHONPATH). Results go to $OUT (default: /tmp/gpu-results).
#
#   benchmarks/gpu.sh                 all
#   benchmarks/gpu.sh tests           the tests marked `gpu`
#   benchmarks/gpu.sh agreement       the fills of the answer keys on the interpreter and on the GPU
#   benchmarks/gpu.sh programs        the CUDA programs by which the emulator is tested, on the GPU (needs nvcc)
#
# Exit status: 0 all fine, 1 something failed, 3 no usable GPU.
set -u
cd "$(dirname "$0")/.." || exit 3
OUT=${OUT:-/tmp/gpu-results}
mkdir -p "$OUT"
PARTS=${*:-tests agreement programs}
export PYTHONUNBUFFERED=1 PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
failed=0

date -u
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null | head -1
python3 - <<'PY'
import platform, torch, triton
print("python", platform.python_version(), "torch", torch.__version__, "cuda", torch.version.cuda, "triton", triton.__version__)
from graders.executors.triton_gpu import TritonGpu
missing = TritonGpu().availability()
print("triton-gpu:", missing.en if missing else "available")
raise SystemExit(3 if missing else 0)
PY
available=$?
[ $available -eq 0 ] || exit $available

for part in $PARTS; do
    echo "== $part"
    case $part in
    tests)
        timeout 400 python3 -m pytest -p no:cacheprovider -m gpu --durations=10 tests 2>&1 | tee "$OUT/gpu-tests.txt"
        [ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
        ;;
    agreement)
        timeout 500 python3 benchmarks/executors/agreement.py --out "$OUT/agreement.json" 2>&1 | tee "$OUT/agreement.md"
        [ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
        ;;
    programs)
        timeout 400 python3 tests/graders/emulator/programs/run_on_gpu.py "$OUT/cuda-programs.json" 2>&1 | tee "$OUT/cuda-programs.txt"
        case ${PIPESTATUS[0]} in
        0) ;;
        3) echo "not run: no nvcc" ;;
        *) failed=1 ;;
        esac
        ;;
    *)
        echo "unknown part $part" >&2
        failed=1
        ;;
    esac
done
exit $failed

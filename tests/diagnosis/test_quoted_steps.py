"""What a message itself names (a remedy, values, releases, sizes) is what the first steps of shipped rules say."""

import pytest

from logrules.engine.run import prepared
from logrules.ruleset.rule_text import card_of
from logrules.ruletest.harness import run_log

LIBRARY = '  File "/env/lib/python3.11/site-packages/{}", line 30, in check\n    raise ValueError(message)\n'
HEAD = 'Traceback (most recent call last):\n  File "/app/train.py", line 9, in main\n    start()\n'
TRAINER, HUB, ENGINE = "transformers/trainer.py", "transformers/utils/versions.py", "vllm/config.py"
_ENDS, _ENDS_ZH = (".", "?", "!", ":"), ("。", "？", "！", "：", ".")
FSDP, TUNER = "torch/distributed/fsdp/a.py", "peft/tuners/tuner.py"


def raised(message: str, place: str = TRAINER) -> str:
    return f"{HEAD}{LIBRARY.format(place)}{message}\n"


@pytest.fixture(scope="module")
def on_shipped(shipped):
    return prepared(shipped)


def _steps(on_shipped, log: str) -> list[str]:
    found = run_log(on_shipped, log).diagnoses[0]
    return [" ".join((fix.do.en, fix.run or "", *fix.flags)) for fix in found.fixes[:3]]


@pytest.mark.parametrize(
    ("log", "said"),
    [
        # Releases, with both ends of a range.
        (raised("ImportError: gears requires `cogs>=1.4.2`: Please run `pip install gears[all]`"), '"cogs>=1.4.2"'),
        (
            raised("ImportError: cogs>=1.4,<2.0 is required for a normal functioning of this module, but found cogs==2.1", HUB),
            '"cogs>=1.4,<2.0"',
        ),
        (raised("ValueError: Sharding requires PyTorch >= 2.1.0"), '"torch>=2.1.0"'),
        # Values that are offered.
        (raised("ValueError: Unknown split \"dev\". Should be one of ['train', 'test'].", "datasets/builder.py"), "['train', 'test']"),
        # Sizes.
        (raised("AssertionError: group size (6) must be divisible by num_generations (8)"), "set the first to 8"),
        (raised("AssertionError: global batch size (1000) is not divisible by micro batch size (4) times data parallel size (16)"), "1024"),
        (raised("AssertionError: number of layers should be divisible by pipeline size: 30 vs 4"), "take 2 instead of 4"),
        # What is to be done, and what is lacking.
        (raised("ValueError: the kernel has no rows of 48. Consider using --rows 64 instead.", ENGINE), "Consider using --rows 64 instead"),
        (raised("TypeError: Error: --choose-tools requires --tool-parser", ENGINE), "give --tool-parser as well"),
        # What was raised without a message is the assertion's own text.
        (f'{HEAD}  File "/env/lib/python3.11/site-packages/megatron/training/arguments.py", line 3, in validate_args\n    assert args.vocab_file is not None\nAssertionError\n', "vocab_file"),
        (raised("RuntimeError: CUDA driver error: out of memory"), "growing segments off"),
        # One line alone: what it names, and never a traceback that it does not have.
        ("RuntimeError: plug-in API version (0.23) does not match the framework's API version (0.40)", "0.23 and 0.40"),
        ("RuntimeError: Library libcublas.so.11 is not found or cannot be loaded", "libcublas.so.11 cannot be loaded"),
        ("ImportError: libcogs.so.2: cannot open shared object file: No such file or directory", "libcogs.so.2"),
        ("TypeError: Cogs.__init__() got an unexpected keyword argument 'teeth'", "release for which"),
        ("AttributeError: 'Cogs' object has no attribute 'teeth'", "Cogs has no teeth"),
        ("ValueError: the number of cogs should not be larger than that of gears", "states a rule"),
        ("RuntimeError: the cogs were turned against each other", 'says "the cogs were turned against each other"'),
        ("RuntimeError: [10:11:12] /src/net/socket.cc:7: Cannot bind to 203.0.113.9:3026", "address of its own machine"),
        ("NotImplementedError: no cogs on MPS. If you want them, please comment on https://example.com/7. As a fix, you can set `COGS=1`.", "you can set `COGS=1`"),
        # A command that pip made is nobody's own code.
        (f'Traceback (most recent call last):\n  File "/usr/local/bin/cogrun", line 8, in <module>\n    sys.exit(main())\n{LIBRARY.format("cogs/run.py")}ValueError: the hosts are too few\n', "only code of cogs"),
        # A compiler and a linker.
        ("/src/run.cpp:7:16: error: 'class cog::Wheel' has no member named 'turnV2'; did you mean 'turn'?", "another release of the library"),
        ("  /usr/bin/ld: cannot find /tmp/build/csrc/cogs.o: No such file or directory", "wants an object file"),
        # A message goes on below its first line, which bears its header alone.
        ("RuntimeError: Dataset 'cogs.yaml' error\nDataset 'cogs.yaml' images not found, missing path '/data/valid/images'\n", "no /data/valid/images"),
        (raised("ValueError: the kernel has no rows of 48.\nPossible solutions:\n  1. Set `rows=64` in the config.\n  2. Take newer cogs.", ENGINE), "Set `rows=64` in the config."),
        (raised("RuntimeError: the cogs do not turn.\n\nTo fix this, run `cogs --turn` before you train.", ENGINE), "run `cogs --turn` before you train"),
        (raised("ImportError: gears need the package of cogs.\nInstall cogs with: pip install gear-cogs", "gears/a.py"), "pip install gear-cogs"),
        ("RuntimeError: the cogs do not turn\nhint: pass --turn-left as well\n", "pass --turn-left as well"),
        ("RuntimeError: the cogs do not turn\nmake sure the wheel is greased before it\nbegins to turn.\n", "is greased before it begins to turn"),
        # What was taken for a repository, or imported from elsewhere.
        (raised("OSError: ./out/cogs is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'"), "./out/cogs is a path"),
        (raised("OSError: gears/cogs is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'"), "knows no gears/cogs"),
        (raised("huggingface_hub.errors.RepositoryNotFoundError: 404 Client Error. (Request ID: Root=1)\n\nRepository Not Found for url: https://huggingface.co/outputs/step-5/resolve/main/config.json."), "outputs/step-5 is a path"),
        (raised("ImportError: cannot import name 'load_dataset' from 'datasets' (unknown location)"), "a folder without code of its own"),
        (raised("ImportError: cannot import name 'load_dataset' from 'datasets' (/app/datasets/__init__.py)"), "imported from /app/datasets/__init__.py"),
        ('Traceback (most recent call last):\n  File "/app/torch.py", line 3, in <module>\n    x = torch.zeros(1)\nAttributeError: partially initialized module \'torch\' has no attribute \'zeros\' (most likely due to a circular import)\n', "(torch.py)"),
        (raised("ImportError: cannot import name 'load_metric' from 'datasets' (/env/lib/python3.11/site-packages/datasets/__init__.py)"), "load of the package evaluate"),
        # A count that is empty, and a state of other sizes.
        ("torchrun: error: argument --nproc-per-node/--nproc_per_node: expected one argument\n", "got no number"),
        (raised("RuntimeError: The size of tensor a (81) must match the size of tensor b (21) at non-singleton dimension 0", "torch/optim/adamw.py"), "(81 against 21)"),
        ("UnknownError: 2 root error(s) found.\n  (0) Unknown: Failed to get convolution algorithm. This is probably because cuDNN failed to initialize\n", "TensorFlow take its own"),
        # What an assertion asks of a path or of one record, and of what there is none.
        (f'{HEAD}  File "/app/data.py", line 7, in get_dataset\n    assert os.path.isdir(args.cogs)\nAssertionError\n', "path in args.cogs"),
        ('Traceback (most recent call last):\n  File "/app/dataset.py", line 9, in read_dataset\n    assert channels == 3\nAssertionError\n', "single record"),
        ("ValueError: Dataloader returned 0 length, at least 1 batch is wanted", "drop_last=False"),
        ("AssertionError: a.png is there but a.txt is not found in cogs/labels/ .", "looked for in cogs/labels/"),
        # Sizes whose meaning the message tells.
        ("RuntimeError: size mismatch, m1: [7 x 48], m2: [96 x 5] at /src/math.cpp:9", "takes 96 features and is given 48"),
        ("RuntimeError: Expected object of scalar type Long but got scalar type Float for argument #2 'target' in call to _thnn_nll_loss_forward", "whole numbers of 64 bits"),
        ("RuntimeError: size mismatch (got input: [7], target: [48])", "one sample was taken out of the batch"),
        ("tensorflow.python.framework.errors_impl.InvalidArgumentError: Input to reshape is a tensor with 700 values, but the requested shape has 2100", "A record holds 700 values"),
        # The interpreter, and whose the code is.
        ('Traceback (most recent call last):\n  File "/app/train.py", line 1, in <module>\n    import cogs\nImportError: No module named cogs\n', "`python` is Python 2 here"),
        ('  File "/app/train.py", line 1\n    print "cogs"\n          ^\nSyntaxError: Missing parentheses in call to \'print\'\n', "name its interpreter"),
        ("ImportError: /env/lib/python3.7/site-packages/cogs-0.1-py3.7.egg/cogs.cpython-37m.so: undefined symbol: _ZN2at4CogsE", "build it again"),
        ("ImportError: /env/lib/python3.7/site-packages/torch/lib/libtorch.so: undefined symbol: _ZN3c104CogsE", "another release of its libraries"),
        ("TypeError: 'CogTable' object is not iterable", "An object of a class"),
        ('ValueError: The name "./out/cogs" is neither a valid local path nor a valid repo id. Please check the parameter.', "./out/cogs is a path"),
        ("NCCL failure common.cu:7 'unhandled cuda error'", "libnccl of that CUDA"),
        ("RuntimeError: CUDA error: device-side assert triggered", "the greatest label"),
        # A checkpoint that has other keys.
        (f'{HEAD}  File "/app/load.py", line 30, in load_checkpoint\n    model.load_state_dict(torch.load(path)["state_dict"])\nKeyError: \'state_dict\'\n', "print the keys that it has"),
    ],
)  # fmt: skip
def test_what_the_message_names_is_in_the_first_steps(on_shipped, log, said):
    steps = _steps(on_shipped, log)
    assert any(said in step for step in steps), steps


@pytest.mark.parametrize(
    ("log", "unsaid"),
    [
        # No remedy: what cannot be done, whom to ask, how to have more said.
        (raised("ValueError: You can't train what was loaded with `spread='auto'` in any distributed mode.", ENGINE), "itself says"),
        (raised("ValueError: this is not known. Please report it at the project's page.", ENGINE), "itself says"),
        (raised("ValueError: the model was lost. Either the file is cut or it is of another kind.", ENGINE), "itself says"),
        (raised("RuntimeError: copy:build/x.ts:9 NPU function error: call aclnnCogs failed, error code is 161002", ENGINE), "itself says"),
        ("Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):", "no such choice"),
        # What stands below belongs to somebody else, or breaks off.
        (raised("RuntimeError: the cogs do not turn\n[2026-01-02 10:00:00] [INFO] please grease the wheel with oil.", ENGINE), "itself says"),
        (raised("RuntimeError: the cogs do not turn\n/app/run.sh: line 7: set the wheel to be greased", ENGINE), "itself says"),
        ("RuntimeError: the cogs do not turn\n    at gear.Box.turn(Box.scala:9)\nmake sure the wheel is greased\n", "itself says"),
        ("RuntimeError: the cogs do not turn\nmake sure the wheel is greased and the\n", "itself says"),
        (raised("ImportError: cannot import name 'cogs' from 'gears' (/env/lib/python3.11/site-packages/gears/__init__.py)"), "no installed package"),
        # One line has none around it; a call to check is no remedy; models without text have no tokenizer.
        ("RuntimeError: cogs", "Read the lines around"),
        ('ValueError: The name "./out/cogs" is neither a valid local path nor a valid repo id. Please check the parameter.', "itself says"),
        ("RuntimeError: CUDA error: device-side assert triggered", "token_embeddings"),
        ("ImportError: No module named cogs", "pip install"),
        # Neither a card nor a setting is a package.
        (raised("AssertionError: The backend requires SM>=80 and SM<=90."), "pip install -U"),
        (raised("ValueError: top_p must be >=0.5"), "pip install -U"),
        # Nor is what was found what is asked for.
        (raised("ImportError: gears wants other cogs, but found cogs==2.1", HUB), "cogs==2.1"),
        # The share of one group is not the size of a product.
        (raised("ValueError: The batch size (7 x 1) must be evenly divisible by the number of groups (8)."), "set the first to"),
    ],
)  # fmt: skip
def test_what_it_does_not_name_is_not_quoted(on_shipped, log, unsaid):
    assert not any(unsaid in step for step in _steps(on_shipped, log))


@pytest.mark.parametrize(
    ("log", "unsaid"),
    [
        ("UnknownError: 2 root error(s) found.", "Traceback"),
        ("docker: Error response from daemon: OCI runtime create failed: nvidia-container-cli: driver error: timed out: unknown", "kubectl"),
        ("docker: Error response from daemon: OCI runtime create failed: nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.2", "registry"),
        ("[W socket.cpp:401] [c10d] The server socket has failed to bind to [::]:29400 (errno: 98 - Address already in use).", "address of its own machine"),
    ],
)  # fmt: skip
def test_no_step_is_for_what_the_log_has_not(on_shipped, log, unsaid):
    assert not any(unsaid in step for step in _steps(on_shipped, log))


def test_a_guess_by_single_words_only_looks(on_shipped):
    found = run_log(on_shipped, "cogs: error: no usable device driver was found").diagnoses[0]
    assert [fix.risk.value for fix in found.fixes] == ["look"]
    assert "guessed" in found.fixes[0].do.en


def test_every_step_ends_as_a_sentence_does(shipped):
    fixes = [step.fix for rule in shipped.rules for step in card_of(shipped, rule.id).steps]
    said = [text for fix in fixes for text in (fix.do, fix.note) if text is not None]
    assert len(said) > 1_000
    assert not [text for text in said if not text.en.endswith(_ENDS)]
    assert not [text for text in said if text.zh and not text.zh.endswith(_ENDS_ZH)]


@pytest.mark.parametrize(
    ("message", "place", "unsaid"),
    [
        ("TypeError: MyNet.__init__() got an unexpected keyword argument 'squared'", "acme/net.py", "scikit-learn"),
        ("openai.AuthenticationError: Error code: 401 - invalid api key", "openai/client.py", "password"),
        ("OSError: [Errno 9] Bad file descriptor", "acme/store.py", "terminal"),
        ("usage: fit.py [-h]\nfit.py: error: unrecognized arguments: --gpus 8", "acme/fit.py", "--accelerator"),
    ],
)
def test_no_step_speaks_of_a_library_that_the_message_is_not_of(on_shipped, message, place, unsaid):
    assert not any(unsaid in step for step in _steps(on_shipped, raised(message, place)))


def test_two_openmp_runtimes_in_one_process_are_named(on_shipped):
    log = "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized."
    assert "Two OpenMP runtimes" in _steps(on_shipped, log)[0]


def test_a_pointer_of_git_lfs_is_told_wherever_it_was_read(on_shipped):
    assert (
        "git lfs pull"
        in _steps(on_shipped, raised("_pickle.UnpicklingError: invalid load key, 'v'.", "acme/store.py"))[0]
    )

"""Tiny language models with random weights, made where they are needed: nothing is fetched, and every run is alike."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

VOCABULARY = 320
LIMIT = 192
WORDS = "the ferry sails to the island twice a day and back, it carries people with their bicycles. Yes No"


def tokenizer() -> Any:
    """Byte-level BPE with marks around what an encoder reads, as RoBERTa and BART have them."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([WORDS] * 3, trainer)
    made.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(
        tokenizer_object=made, cls_token="<s>", sep_token="</s>", model_max_length=LIMIT, **names
    )


def _gpt2() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"n_positions": LIMIT, "n_embd": 16, "n_layer": 2, "n_head": 2}
    return GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY, bos_token_id=0, eos_token_id=2, **sizes))


def _bart() -> Any:
    from transformers import BartConfig, BartForConditionalGeneration

    sizes = {f"{side}_{what}": n for side in ("encoder", "decoder") for what, n in (("layers", 2), ("ffn_dim", 32))}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "d_model": 16}
    marks = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2}
    return BartForConditionalGeneration(
        BartConfig(vocab_size=VOCABULARY, max_position_embeddings=LIMIT, **sizes, **heads, **marks)
    )


def _t5() -> Any:
    from transformers import T5Config, T5ForConditionalGeneration

    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2}
    marks = {"pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    return T5ForConditionalGeneration(T5Config(vocab_size=VOCABULARY, **sizes, **marks))


def _roberta() -> Any:
    from transformers import RobertaConfig, RobertaModel

    sizes = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32}
    return RobertaModel(RobertaConfig(vocab_size=VOCABULARY, max_position_embeddings=LIMIT + 2, **sizes))


MODELS: dict[str, Callable[[], Any]] = {"gpt2": _gpt2, "bart": _bart, "t5": _t5, "roberta": _roberta}


def tiny_model(folder: Path, name: str, seed: int = 0) -> Path:
    """The folder with one of MODELS and its tokenizer, as the library itself saves them."""
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = MODELS[name]()
        for parameter in model.parameters():  # the usual first weights make all tokens about equally likely
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.4)
    model.eval().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder

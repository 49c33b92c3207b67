# SPDX-License-Identifier: Apache-2.0
"""Writes encryption.json and erasure.json, next to this file: encrypted bodies, made by another implementation than the library's; in the second,
each needs the key of a person, too.

Needs Python 3 and the package `cryptography`. The format is in ../encryption.md.
"""
import hashlib
import hmac
import json
import pathlib
import random
import struct

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.keywrap import aes_key_wrap

RANDOM = random.Random(1)


def identity(message, subject_key_id=None):
    """What a body is bound to: each field as 0, or as 1, its length in four bytes, and its UTF-8."""
    fields = [
        "SB2" if subject_key_id else "SB1",
        message["message_id"],
        message["correlation_id"],
        message["sb-causation-id"],
        message["type"],
        message["app_id"],
        message["content_type"],
        message["content_encoding"],
        str(message["sb-marker"]),
        str(message["made_at"]),
        message["sb-undoes"],
        message["sb-order-key"],
        str(message["sb-version"]),
    ]
    fields += [subject_key_id] if subject_key_id else []
    return b"".join(
        b"\0" if field is None else b"\1" + struct.pack(">I", len(field.encode())) + field.encode()
        for field in fields
    )


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def seal(message, body, key_id, wrapped, data_key, salt):
    pseudorandom = mac(salt, data_key)
    key = mac(pseudorandom, b"safebunny SB1 key\x01")
    commitment = mac(pseudorandom, b"safebunny SB1 commitment\x01")
    sealed = AESGCM(key).encrypt(bytes(12), body, identity(message))
    name = key_id.encode()
    return (
        b"SB1" + bytes([len(name)]) + name + struct.pack(">H", len(wrapped)) + wrapped + salt + commitment + sealed
    )


def seal_with_subject(message, body, key_id, wrapped, data_key, salt, subject_key_id, subject_key):
    pseudorandom = mac(salt, data_key + subject_key)
    key = mac(pseudorandom, b"safebunny SB2 key\x01")
    commitment = mac(pseudorandom, b"safebunny SB2 commitment\x01")
    sealed = AESGCM(key).encrypt(bytes(12), body, identity(message, subject_key_id))
    name = key_id.encode()
    return (
        b"SB2"
        + bytes([len(name)])
        + name
        + struct.pack(">H", len(wrapped))
        + wrapped
        + bytes.fromhex(subject_key_id)
        + salt
        + commitment
        + sealed
    )


def text(alphabet, least, most):
    return "".join(RANDOM.choice(alphabet) for _ in range(RANDOM.randint(least, most)))


def uuid():
    digits = text("0123456789abcdef", 32, 32)
    return "-".join([digits[:8], digits[8:12], "5" + digits[13:16], "8" + digits[17:20], digits[20:]])


def maybe(value):
    return value if RANDOM.random() < 0.5 else None


def vector(number, has_subject=False):
    message = {
        "message_id": uuid(),
        "correlation_id": RANDOM.choice([uuid(), "customer:" + text("0123456789", 1, 40)]),
        "sb-causation-id": maybe(uuid()),
        "type": text("ABCDEFGHIJ", 1, 1) + text("abcdefghij_$0", 0, 30),
        "app_id": text("abcdefghij", 1, 1) + text("abcdefghij-", 0, 20),
        "content_type": RANDOM.choice(["application/json", "application/cbor", "text/plain; charset=utf-8"]),
        "content_encoding": RANDOM.choice(["sb-aes", "gzip, sb-aes"]),
        "sb-marker": RANDOM.randint(1, 2**31 - 1),
        "made_at": RANDOM.randint(0, 2**42),
        "sb-undoes": maybe(uuid()),
        "sb-order-key": maybe(text("ABCabc019._:-", 1, 128)),
        "sb-version": RANDOM.choice([1, 1, 2, 1_000_000]),
    }
    body = RANDOM.choice([b"", b"{}", text("abc \u00fc\U0001f407\"", 0, 200).encode(), RANDOM.randbytes(64)])
    key_id = text("abcdefgh-", 1, 20) + "-" + str(RANDOM.randint(1, 99))
    wrapping, data_key, salt = RANDOM.randbytes(32), RANDOM.randbytes(32), RANDOM.randbytes(32)
    wrapped = aes_key_wrap(wrapping, data_key)
    if has_subject:
        subject_key_id, subject_key = RANDOM.randbytes(16).hex(), RANDOM.randbytes(32)
        encoded = seal_with_subject(message, body, key_id, wrapped, data_key, salt, subject_key_id, subject_key)
        subject = {"subject_key_id": subject_key_id, "subject_key": subject_key.hex()}
    else:
        encoded = seal(message, body, key_id, wrapped, data_key, salt)
        subject = {}
    return {
        "number": number,
        "message": message,
        "body": body.hex(),
        "key_id": key_id,
        "wrapping_key": wrapping.hex(),
        "wrapped": wrapped.hex(),
        "data_key": data_key.hex(),
        "salt": salt.hex(),
        **subject,
        "encoded": encoded.hex(),
    }


def write(name, vectors):
    lines = ",\n".join(json.dumps(vector) for vector in vectors)
    pathlib.Path(__file__).with_name(name).write_text("[\n" + lines + "\n]\n")


write("encryption.json", [vector(number) for number in range(1, 201)])
write("erasure.json", [vector(number, has_subject=True) for number in range(1, 201)])

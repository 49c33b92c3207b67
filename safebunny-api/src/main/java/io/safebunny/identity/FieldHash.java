// SPDX-License-Identifier: Apache-2.0
package io.safebunny.identity;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * SHA-256 over fields, each prefixed with its length, so that ("ab", "c") and ("a", "bc") differ. Each thread has one instance
 * per key: finish a hash before starting the next.
 */
public final class FieldHash {

    private static final ThreadLocal<FieldHash> SHA256 = ThreadLocal.withInitial(FieldHash::newSha256);

    private final Runnable reset;
    private final Consumer<byte[]> update;
    private final Supplier<byte[]> finish;
    private final byte[] length = new byte[4];

    private FieldHash(Runnable reset, Consumer<byte[]> update, Supplier<byte[]> finish) {
        this.reset = reset;
        this.update = update;
        this.finish = finish;
    }

    /** This thread's instance, reset. */
    public static FieldHash sha256() {
        return SHA256.get().start();
    }

    /** Supplies each thread's reset instance of HMAC-SHA-256 (RFC 2104) with this key, which must not be empty. */
    static Supplier<FieldHash> hmacSha256(byte[] key) {
        SecretKeySpec secret = new SecretKeySpec(key, "HmacSHA256");
        ThreadLocal<FieldHash> hashes = ThreadLocal.withInitial(() -> newHmacSha256(secret));
        return () -> hashes.get().start();
    }

    private FieldHash start() {
        reset.run();
        return this;
    }

    /** Adds the text as UTF-8; {@code null} and the empty text are different. */
    public FieldHash add(@Nullable String field) {
        if (field == null) {
            prefix(-1);
            return this;
        }
        return add(field.getBytes(StandardCharsets.UTF_8));
    }

    public FieldHash add(byte[] field) {
        prefix(field.length);
        update.accept(field);
        return this;
    }

    private void prefix(int number) {
        length[0] = (byte) (number >>> 24);
        length[1] = (byte) (number >>> 16);
        length[2] = (byte) (number >>> 8);
        length[3] = (byte) number;
        update.accept(length);
    }

    /** @param last the last field, which is not prefixed with its length */
    public byte[] finish(byte[] last) {
        update.accept(last);
        return finish();
    }

    /** The hash, 32 bytes. */
    public byte[] finish() {
        return finish.get();
    }

    private static FieldHash newSha256() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return new FieldHash(digest::reset, digest::update, digest::digest);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    private static FieldHash newHmacSha256(SecretKeySpec secret) {
        try {
            Mac mac = Mac.getInstance(secret.getAlgorithm());
            mac.init(secret);
            return new FieldHash(mac::reset, mac::update, mac::doFinal);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    private static IllegalStateException missing(GeneralSecurityException e) {
        return new IllegalStateException(
                "This JVM lacks SHA-256 or HmacSHA256, which every Java platform must have: use another JVM, or check its security providers",
                e);
    }
}

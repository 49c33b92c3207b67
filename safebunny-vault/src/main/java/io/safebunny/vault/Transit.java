// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault;

import io.safebunny.encryption.KeysUnavailableException;
import io.safebunny.failure.details.Printable;
import io.safebunny.time.Timeline;
import io.safebunny.vault.Answer.Forbidden;
import io.safebunny.vault.Answer.Given;
import io.safebunny.vault.Answer.Refused;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.vault.VaultException;
import org.springframework.vault.client.VaultResponses;
import org.springframework.vault.core.VaultOperations;
import org.springframework.vault.support.VaultResponse;
import org.springframework.web.client.HttpStatusCodeException;

/**
 * Asks one Transit secrets engine. Every call ends after {@link #LONGEST_CALL}, and throws {@link KeysUnavailableException} unless Vault has
 * answered for certain: sealed, unreachable, overloaded, or a token that it does not accept are outages. Thread-safe.
 */
final class Transit implements AutoCloseable {

    /** However long the timeouts of the client are, of which some have none: handlers wait for the answer, and publishers for each other. */
    static final Duration LONGEST_CALL = Duration.ofSeconds(5);

    private static final int MOST_CALLS = 8;
    private static final int MOST_WAITING = 100;
    private static final int LONGEST_TEXT = 200;
    private static final AtomicInteger THREADS = new AtomicInteger();

    /** Of an RSA key, for what an AES key would refuse with 400. */
    private static final String RSA_REFUSAL = "failed to RSA decrypt the ciphertext";

    private final VaultOperations vault;
    private final String mount;
    private final Timeline timeline;
    private final ThreadPoolExecutor callers;

    Transit(VaultOperations vault, String mount, Timeline timeline) {
        this.vault = vault;
        this.mount = mount;
        this.timeline = timeline;
        this.callers = new ThreadPoolExecutor(
                MOST_CALLS, MOST_CALLS, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING), task -> {
                    Thread thread = new Thread(task, "safebunny-vault-" + THREADS.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        callers.allowCoreThreadTimeOut(true);
    }

    String mount() {
        return mount;
    }

    /** What is known of a key, without the key. */
    Answer read(String key) {
        String path = "%s/keys/%s".formatted(mount, key);
        return bounded(path, () -> asked(path, "read", () -> vault.read(path)));
    }

    /** @param operation such as {@code decrypt} */
    Answer call(String operation, String key, Map<String, ?> body) {
        String path = "%s/%s/%s".formatted(mount, operation, key);
        return bounded(path, () -> asked(path, "update", () -> vault.write(path, body)));
    }

    /** A call that nobody waits for any more is interrupted, or never made: its thread and its place in the queue are free again. */
    private Answer bounded(String path, Supplier<Answer> call) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        FutureTask<Void> task = new FutureTask<>(() -> complete(answer, call), null);
        try {
            callers.execute(task);
        } catch (RejectedExecutionException e) {
            throw away(path, "too many calls wait for it, or this node is stopping", e);
        }
        try {
            return timeline.await(answer, LONGEST_CALL);
        } catch (TimeoutException e) {
            abandon(task);
            throw away(path, "no answer within %s seconds".formatted(LONGEST_CALL.toSeconds()), e);
        } catch (InterruptedException e) {
            abandon(task);
            Thread.currentThread().interrupt();
            throw away(path, "this thread was interrupted while it waited", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KeysUnavailableException known
                    ? known
                    : away(path, "the call failed", e.getCause());
        }
    }

    private static void complete(CompletableFuture<Answer> answer, Supplier<Answer> call) {
        try {
            answer.complete(call.get());
        } catch (Throwable e) {
            answer.completeExceptionally(e);
        }
    }

    private void abandon(FutureTask<Void> task) {
        task.cancel(true);
        callers.remove(task);
    }

    private Answer asked(String path, String capability, Supplier<@Nullable VaultResponse> call) {
        try {
            VaultResponse response = call.get();
            Map<String, Object> data = response == null ? null : response.getData();
            if (data != null) {
                return new Given(data);
            }
            if (capability.equals("read")) {
                return new Refused("there is no such key");
            }
            throw away(path, "it answered without data. Is the secrets engine at this mount Transit?", null);
        } catch (KeysUnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            return answerTo(path, capability, e);
        }
    }

    private Answer answerTo(String path, String capability, RuntimeException failure) {
        HttpStatusCodeException told = statusOf(failure);
        if (told == null) { // unreachable, or the login has failed
            throw away(path, failure.getClass().getSimpleName(), failure);
        }
        int status = told.getStatusCode().value();
        String why = text(told);
        if (status == 400 || why.contains(RSA_REFUSAL)) {
            return new Refused(why);
        }
        if (status == 403) {
            return forbidden(path, capability, told);
        }
        String advice = status == 404 ? ". Is a secrets engine enabled at this mount?" : "";
        throw away(path, "status %s, %s%s".formatted(status, why, advice), told);
    }

    /** Of the call itself: what is thrown for a login has the same status for other reasons. */
    private static @Nullable HttpStatusCodeException statusOf(RuntimeException failure) {
        if (failure instanceof HttpStatusCodeException told) {
            return told;
        }
        boolean isOfTheCall = failure.getClass() == VaultException.class;
        return isOfTheCall && failure.getCause() instanceof HttpStatusCodeException told ? told : null;
    }

    private static String text(HttpStatusCodeException told) {
        String text = Printable.text(
                VaultResponses.getError(told.getResponseBodyAsString()).strip());
        return text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) + "…" : text;
    }

    /** Vault answers 403 to a token that has expired, too: only a valid one is told its rights. */
    private Answer forbidden(String path, String capability, HttpStatusCodeException told) {
        Object rights;
        try {
            VaultResponse own = vault.write("sys/capabilities-self", Map.of("paths", List.of(path)));
            Map<String, Object> data = own == null ? null : own.getData();
            rights = data == null ? null : data.get(path);
        } catch (RuntimeException e) {
            throw away(
                    path,
                    "it does not accept this node's token: expired, revoked, or without the right to ask for its own rights (sys/capabilities-self)",
                    told);
        }
        if (rights instanceof List<?> list && !list.contains(capability) && !list.contains("root")) {
            return new Forbidden(path, capability);
        }
        throw away(path, "status 403 although a policy allows it, %s".formatted(text(told)), told);
    }

    private static KeysUnavailableException away(String path, String why, @Nullable Throwable cause) {
        return new KeysUnavailableException("Vault does not give a key [path=%s]: %s".formatted(path, why), cause);
    }

    @Override
    public void close() {
        callers.shutdownNow().clear();
    }
}

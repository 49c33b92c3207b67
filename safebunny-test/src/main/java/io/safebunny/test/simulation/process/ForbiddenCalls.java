// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.util.ClassUtils;

/**
 * Searches handlers' byte code for calls that a simulation cannot control: the wall clock, sleeping, threads. It follows calls within a
 * handler's package; calls beyond that are noticed only if they make runs differ. Thread-safe.
 */
public final class ForbiddenCalls {

    private static final String CLOCK = "asks the real clock; ask node.timeline() instead";
    private static final String SLEEP = "sleeps in real time; use node.timeline().sleep() instead";
    private static final String THREAD = "uses threads that the simulation does not know; do without";

    /** Descriptor of a parameter of type {@code Clock}. {@code Instant.now(clock)} is allowed, because it uses the given clock. */
    private static final String OF_A_CLOCK = "(Ljava/time/Clock;";

    private static final String NEW_WITHOUT_ARGUMENTS = "<init>()";

    /** @param why what is wrong, and what to do */
    private record Forbidden(Predicate<String> owner, Predicate<String> method, String why) {}

    private static final List<Forbidden> ALL = List.of(
            new Forbidden(owner -> owner.startsWith("java/time/"), "now"::equals, CLOCK),
            new Forbidden("java/time/Clock"::equals, name -> name.startsWith("system"), CLOCK),
            new Forbidden("java/lang/System"::equals, Set.of("currentTimeMillis", "nanoTime")::contains, CLOCK),
            new Forbidden("java/util/Date"::equals, NEW_WITHOUT_ARGUMENTS::equals, CLOCK),
            new Forbidden(
                    Set.of("java/lang/Thread", "java/util/concurrent/TimeUnit")::contains, "sleep"::equals, SLEEP),
            new Forbidden(
                    "java/lang/Thread"::equals,
                    Set.of("start", "startVirtualThread", "ofVirtual", "ofPlatform")::contains,
                    THREAD),
            new Forbidden("java/util/concurrent/Executors"::equals, name -> name.startsWith("new"), THREAD),
            new Forbidden("java/util/concurrent/CompletableFuture"::equals, name -> name.endsWith("Async"), THREAD),
            new Forbidden("java/util/concurrent/ForkJoinPool"::equals, "commonPool"::equals, THREAD),
            new Forbidden("java/util/Timer"::equals, name -> name.startsWith("<init>"), THREAD),
            new Forbidden(owner -> owner.startsWith("java/util/"), "parallelStream"::equals, THREAD));

    private static final Map<Class<?>, Optional<String>> KNOWN = new ConcurrentHashMap<>();

    private final ClassLoader loader;
    private final String room;
    private final Set<String> visited = new HashSet<>();
    private final Deque<Called> toVisit = new ArrayDeque<>();
    private @Nullable String found;

    private ForbiddenCalls(Class<?> type) {
        this.loader = Optional.ofNullable(type.getClassLoader()).orElse(ForbiddenCalls.class.getClassLoader());
        this.room = type.getPackageName().replace('.', '/') + '/';
    }

    /** @param method name and descriptor of the method; {@code null} for all methods of the class */
    private record Called(String owner, @Nullable String method) {}

    /** The first forbidden call, with its place and what to do instead; {@code null} if there is none. */
    public static @Nullable String in(Object handler) {
        Class<?> type = ClassUtils.getUserClass(handler);
        return KNOWN.computeIfAbsent(type, other -> Optional.ofNullable(new ForbiddenCalls(other).search(other)))
                .orElse(null);
    }

    private @Nullable String search(Class<?> type) {
        for (Class<?> own = type; own != null && !own.getName().startsWith("java."); own = own.getSuperclass()) {
            toVisit.add(new Called(own.getName().replace('.', '/'), null));
        }
        for (Called next = toVisit.poll(); next != null && found == null; next = toVisit.poll()) {
            visit(next);
        }
        return found;
    }

    private void visit(Called called) {
        try (InputStream code = loader.getResourceAsStream(called.owner() + ".class")) {
            if (code != null) {
                new ClassReader(code).accept(new Reader(called), ClassReader.SKIP_FRAMES);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void call(String owner, String method, String descriptor, String place) {
        if (found != null) {
            return;
        }
        String name = method.equals("<init>") && descriptor.startsWith("()") ? NEW_WITHOUT_ARGUMENTS : method;
        for (Forbidden forbidden : ALL) {
            if (forbidden.owner().test(owner) && forbidden.method().test(name) && !descriptor.startsWith(OF_A_CLOCK)) {
                found = "%s calls %s.%s, which %s."
                        .formatted(place, owner.substring(owner.lastIndexOf('/') + 1), method, forbidden.why());
                return;
            }
        }
        if (owner.startsWith(room)
                && owner.indexOf('/', room.length()) < 0
                && visited.add(owner + method + descriptor)) {
            toVisit.add(new Called(owner, method + descriptor));
        }
    }

    private final class Reader extends ClassVisitor {

        private final Called called;
        private String file = "";

        Reader(Called called) {
            super(SpringAsmInfo.ASM_VERSION);
            this.called = called;
        }

        @Override
        public void visitSource(@Nullable String source, @Nullable String debug) {
            file = source == null ? "" : source;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            String method = called.method();
            return method == null || method.equals(name + descriptor) ? new Calls(called.owner(), name, file) : null;
        }
    }

    private final class Calls extends MethodVisitor {

        private final String owner;
        private final String name;
        private final String file;
        private int line;

        Calls(String owner, String name, String file) {
            super(SpringAsmInfo.ASM_VERSION);
            this.owner = owner;
            this.name = name;
            this.file = file;
        }

        @Override
        public void visitLineNumber(int number, Label start) {
            line = number;
        }

        @Override
        public void visitMethodInsn(int opcode, String target, String method, String descriptor, boolean isInterface) {
            call(target, method, descriptor, place());
        }

        @Override
        public void visitInvokeDynamicInsn(String method, String descriptor, Handle bootstrap, Object... arguments) {
            for (Object argument : arguments) {
                if (argument instanceof Handle handle) {
                    call(handle.getOwner(), handle.getName(), handle.getDesc(), place());
                }
            }
        }

        private String place() {
            String type = owner.substring(owner.lastIndexOf('/') + 1).replace('$', '.');
            return "%s.%s (%s:%s)"
                    .formatted(type, name.startsWith("lambda$") ? name.split("\\$", -1)[1] : name, file, line);
        }
    }
}

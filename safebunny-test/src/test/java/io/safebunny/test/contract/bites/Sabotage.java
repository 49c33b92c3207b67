// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.bites;

import java.io.Serializable;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets some operations of an SPI do something else; the others do what those of the real instance do.
 *
 * <pre>{@code store.on(MessageStore::find).instead((real, key) -> null)}</pre>
 *
 * <p>The operation is named by a method reference, and what is done instead has its parameters and its result. So nothing compiles any
 * more when the operation is renamed or changed, where a method found by its name would be overridden no more.
 *
 * @param <T> an interface
 */
@SuppressWarnings("overloads") // a method reference tells its parameters, and whether it has a result
public final class Sabotage<T> {

    private final Class<T> type;
    private final Calls calls;
    private final Map<String, Operation<T>> faults = new HashMap<>();

    private Sabotage(Class<T> type, Calls calls) {
        this.type = type;
        this.calls = calls;
    }

    /** The real one with the operations replaced that the plan replaces. */
    public static <T> T sabotaged(Class<T> type, T real, Calls calls, Consumer<Sabotage<T>> plan) {
        Sabotage<T> sabotage = new Sabotage<>(type, calls);
        plan.accept(sabotage);
        return sabotage.proxy(real);
    }

    /** Another one, which this one hands out; its faults are this fault's too. */
    public <U> U sabotaged(Class<U> otherType, U real, Consumer<Sabotage<U>> plan) {
        return sabotaged(otherType, real, calls, plan);
    }

    public <R> Instead<Answer0<T, R>> on(Answer0<T, R> operation) {
        return instead(operation);
    }

    public <A, R> Instead<Answer1<T, A, R>> on(Answer1<T, A, R> operation) {
        return instead(operation);
    }

    public <A, B, R> Instead<Answer2<T, A, B, R>> on(Answer2<T, A, B, R> operation) {
        return instead(operation);
    }

    public <A, B, C, R> Instead<Answer3<T, A, B, C, R>> on(Answer3<T, A, B, C, R> operation) {
        return instead(operation);
    }

    public <A, B, C, D, R> Instead<Answer4<T, A, B, C, D, R>> on(Answer4<T, A, B, C, D, R> operation) {
        return instead(operation);
    }

    public Instead<Action0<T>> on(Action0<T> operation) {
        return instead(operation);
    }

    public <A> Instead<Action1<T, A>> on(Action1<T, A> operation) {
        return instead(operation);
    }

    public <A, B> Instead<Action2<T, A, B>> on(Action2<T, A, B> operation) {
        return instead(operation);
    }

    private <F extends Operation<T>> Instead<F> instead(F operation) {
        String name = signature(method(operation));
        return fault -> {
            calls.planned.add(name);
            if (faults.put(name, fault) != null) {
                throw new IllegalStateException(name + " is replaced twice: the first would be without effect");
            }
        };
    }

    private Method method(Operation<T> operation) {
        try {
            Method writeReplace = operation.getClass().getDeclaredMethod("writeReplace");
            writeReplace.setAccessible(true);
            SerializedLambda lambda = (SerializedLambda) writeReplace.invoke(operation);
            MethodType shape =
                    MethodType.fromMethodDescriptorString(lambda.getImplMethodSignature(), type.getClassLoader());
            return type.getMethod(lambda.getImplMethodName(), shape.parameterArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    "Name an operation of %s by a method reference".formatted(type.getSimpleName()), e);
        }
    }

    private String signature(Method method) {
        return type.getSimpleName() + '.' + method.getName() + Arrays.toString(method.getParameterTypes());
    }

    private T proxy(T real) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return ofObject(proxy, real, method, arguments);
                    }
                    String name = signature(method);
                    Operation<T> fault = faults.get(name);
                    if (fault == null) {
                        return call(real, method, arguments);
                    }
                    calls.made.add(name);
                    return fault.apply(real, arguments);
                }));
    }

    private static @Nullable Object ofObject(Object proxy, Object real, Method method, Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "sabotaged " + real;
        };
    }

    private static @Nullable Object call(Object real, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** Which operations were to do something else, and which of those were called. Thread-safe. */
    public static final class Calls {
        private final Set<String> planned = ConcurrentHashMap.newKeySet();
        private final Set<String> made = ConcurrentHashMap.newKeySet();

        /** What never did anything else, because nobody called it. */
        public Set<String> missing() {
            Set<String> missing = new TreeSet<>(planned);
            missing.removeAll(made);
            return missing;
        }
    }

    @FunctionalInterface
    public interface Instead<F> {
        void instead(F fault);
    }

    /** One of {@code T}, or what is done in its place. Serializable, because such a method reference can tell its method. */
    private interface Operation<T> extends Serializable {
        @Nullable
        Object apply(T real, Object[] arguments) throws Throwable;
    }

    @FunctionalInterface
    public interface Answer0<T, R> extends Operation<T> {
        @Nullable
        R call(T real) throws Throwable;

        @Override
        default @Nullable Object apply(T real, Object[] arguments) throws Throwable {
            return call(real);
        }
    }

    @FunctionalInterface
    public interface Answer1<T, A, R> extends Operation<T> {
        @Nullable
        R call(T real, A argument) throws Throwable;

        @Override
        @SuppressWarnings("unchecked")
        default @Nullable Object apply(T real, Object[] arguments) throws Throwable {
            return call(real, (A) arguments[0]);
        }
    }

    @FunctionalInterface
    public interface Answer2<T, A, B, R> extends Operation<T> {
        @Nullable
        R call(T real, A first, B second) throws Throwable;

        @Override
        @SuppressWarnings("unchecked")
        default @Nullable Object apply(T real, Object[] arguments) throws Throwable {
            return call(real, (A) arguments[0], (B) arguments[1]);
        }
    }

    @FunctionalInterface
    public interface Answer3<T, A, B, C, R> extends Operation<T> {
        @Nullable
        R call(T real, A first, B second, C third) throws Throwable;

        @Override
        @SuppressWarnings("unchecked")
        default @Nullable Object apply(T real, Object[] arguments) throws Throwable {
            return call(real, (A) arguments[0], (B) arguments[1], (C) arguments[2]);
        }
    }

    @FunctionalInterface
    public interface Answer4<T, A, B, C, D, R> extends Operation<T> {
        @Nullable
        R call(T real, A first, B second, C third, D fourth) throws Throwable;

        @Override
        @SuppressWarnings("unchecked")
        default @Nullable Object apply(T real, Object[] arguments) throws Throwable {
            return call(real, (A) arguments[0], (B) arguments[1], (C) arguments[2], (D) arguments[3]);
        }
    }

    @FunctionalInterface
    public interface Action0<T> extends Operation<T> {
        void call(T real) throws Throwable;

        @Override
        default @Nullable Object apply(T real, Object[] arguments) throws Throwable {
            call(real);
            return null;
        }
    }

    @FunctionalInterface
    public interface Action1<T, A> extends Operation<T> {
        void call(T real, A argument) throws Throwable;

        @Override
        @SuppressWarnings("unchecked")
        default @Nullable Object apply(T real, Object[] arguments) throws Throwable {
            call(real, (A) arguments[0]);
            return null;
        }
    }

    @FunctionalInterface
    public interface Action2<T, A, B> extends Operation<T> {
        void call(T real, A first, B second) throws Throwable;

        @Override
        @SuppressWarnings("unchecked")
        default @Nullable Object apply(T real, Object[] arguments) throws Throwable {
            call(real, (A) arguments[0], (B) arguments[1]);
            return null;
        }
    }
}

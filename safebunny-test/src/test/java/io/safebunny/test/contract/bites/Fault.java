// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.bites;

import io.safebunny.test.contract.bites.Sabotage.Calls;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * One thing that is done wrong.
 *
 * @param name what is wrong, in words
 * @param rules the one rule that must fail, or several where no fault of this kind can spare any of them
 * @param plan for one test, and then for each instance that is made in it
 * @param calls those of all tests
 * @param <C> the contract, extended so that it is run with whatever fault is {@linkplain #current current}
 * @param <T> what keeps the contract, or does not
 */
public record Fault<C, T>(String name, List<String> rules, Function<C, Consumer<Sabotage<T>>> plan, Calls calls) {

    private static final ThreadLocal<Fault<?, ?>> CURRENT = new ThreadLocal<>();

    /** For a test's instance while it is made, which JUnit does on the thread it was called on. */
    @SuppressWarnings("unchecked")
    public static <C, T> Fault<C, T> current() {
        return (Fault<C, T>) Objects.requireNonNull(CURRENT.get(), "run by ContractBites only");
    }

    public void runWith(Runnable tests) {
        CURRENT.set(this);
        try {
            tests.run();
        } finally {
            CURRENT.remove();
        }
    }

    /** Makes the instances of one test faulty; what they share is made now. */
    public UnaryOperator<T> in(C test, Class<T> type) {
        Consumer<Sabotage<T>> sabotage = plan.apply(test);
        return real -> Sabotage.sabotaged(type, real, calls, sabotage);
    }

    @Override
    public String toString() {
        return name;
    }
}

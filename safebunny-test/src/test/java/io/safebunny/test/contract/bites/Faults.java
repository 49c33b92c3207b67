// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.bites;

import io.safebunny.test.contract.bites.Sabotage.Action1;
import io.safebunny.test.contract.bites.Sabotage.Action2;
import io.safebunny.test.contract.bites.Sabotage.Answer1;
import io.safebunny.test.contract.bites.Sabotage.Answer2;
import io.safebunny.test.contract.bites.Sabotage.Answer3;
import io.safebunny.test.contract.bites.Sabotage.Calls;
import io.safebunny.test.contract.bites.Sabotage.Instead;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** A table of faults, each with the rule it breaks. */
@SuppressWarnings("overloads") // a method reference tells its parameters, and whether it has a result
public abstract class Faults<K, T> {

    private final List<Fault<K, T>> faults = new ArrayList<>();

    /** One that is planned for each instance anew. */
    public final void fault(String name, String rule, Consumer<Sabotage<T>> plan) {
        faultIn(name, List.of(rule), test -> plan);
    }

    public final void fault(String name, List<String> rules, Consumer<Sabotage<T>> plan) {
        faultIn(name, rules, test -> plan);
    }

    /** One of a single operation. */
    public final <A, R> Instead<Answer1<T, A, R>> fault(String name, String rule, Answer1<T, A, R> operation) {
        return fault -> fault(name, rule, real -> real.on(operation).instead(fault));
    }

    public final <A, B, R> Instead<Answer2<T, A, B, R>> fault(String name, String rule, Answer2<T, A, B, R> operation) {
        return fault -> fault(name, rule, real -> real.on(operation).instead(fault));
    }

    public final <A, B, C, R> Instead<Answer3<T, A, B, C, R>> fault(
            String name, String rule, Answer3<T, A, B, C, R> operation) {
        return fault -> fault(name, rule, real -> real.on(operation).instead(fault));
    }

    public final <A> Instead<Action1<T, A>> fault(String name, String rule, Action1<T, A> operation) {
        return fault -> fault(name, rule, real -> real.on(operation).instead(fault));
    }

    public final <A, B> Instead<Action2<T, A, B>> fault(String name, String rule, Action2<T, A, B> operation) {
        return fault -> fault(name, rule, real -> real.on(operation).instead(fault));
    }

    /** One that knows the test, or whose instances share something. */
    public final void faultIn(String name, String rule, Function<K, Consumer<Sabotage<T>>> plan) {
        faultIn(name, List.of(rule), plan);
    }

    public final void faultIn(String name, List<String> rules, Function<K, Consumer<Sabotage<T>>> plan) {
        faults.add(new Fault<>(name, rules, plan, new Calls()));
    }

    public final Stream<Fault<K, T>> stream() {
        return faults.stream();
    }
}

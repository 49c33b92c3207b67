// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows.saga;

import io.safebunny.proof.model.FaultyStores;
import io.safebunny.proof.model.Interleavings;
import io.safebunny.proof.plant.PatchedLibrary;
import io.safebunny.proof.rows.Effort;
import io.safebunny.proof.rows.Finding;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;

/**
 * Plants faults, one after the other, in a copy of the library that has a class loader of its own, and lets the interleavings find
 * them.
 *
 * @param sources the library's source folder
 */
record MutantRow(Path sources) {

    private static final long WITHIN = 10_000;

    Finding find(Effort effort) throws IOException {
        Map<String, Object> figures = new LinkedHashMap<>();
        boolean all = true;
        System.setProperty("crash.level", "off"); // for the copies' own logging
        for (Mutant mutant : Mutant.all()) {
            long after = find(mutant, effort.seed());
            figures.put(mutant.name(), after < 0 ? "not found within " + WITHIN : "found within " + after);
            all &= after >= 0;
            effort.progress().accept(mutant.name() + ": " + figures.get(mutant.name()));
        }
        return new Finding(all, figures);
    }

    /** @return the number of interleavings within which it was found; -1 if it was not */
    private long find(Mutant mutant, long seed) throws IOException {
        try (PatchedLibrary copy = new PatchedLibrary(sources, mutant.patch())) {
            Object runs = runs(mutant, copy);
            Method run = runs.getClass().getMethod("run", long.class, long.class, LongConsumer.class);
            LongConsumer unheard = done -> {};
            String deviation = (String) run.invoke(runs, seed, WITHIN, unheard);
            long done = (long) runs.getClass().getMethod("done").invoke(runs);
            return deviation == null || deviation.isEmpty() ? -1 : done + Interleavings.TOGETHER;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "Mutant '%s' does not run. Check that its row and its patch still fit the library."
                            .formatted(mutant.name()),
                    e);
        }
    }

    private static Object runs(Mutant mutant, PatchedLibrary copy) throws ReflectiveOperationException {
        Class<?> factory = copy.load(Interleavings.class.getName());
        if (mutant.runs().equals("ofVersions")) {
            return factory.getMethod(mutant.runs()).invoke(null);
        }
        return factory.getMethod(mutant.runs(), UnaryOperator.class).invoke(null, store(mutant, copy));
    }

    private static UnaryOperator<Object> store(Mutant mutant, PatchedLibrary copy) throws ReflectiveOperationException {
        if (mutant.store() == null) {
            return UnaryOperator.identity();
        }
        Class<?> type = copy.load("io.safebunny.store.MessageStore");
        Method faulty = copy.load(FaultyStores.class.getName()).getMethod(mutant.store(), type);
        return sound -> {
            try {
                return faulty.invoke(null, sound);
            } catch (IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException(e);
            }
        };
    }
}

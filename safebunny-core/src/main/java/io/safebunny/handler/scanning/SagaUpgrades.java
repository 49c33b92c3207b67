// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.saga.Upgrade;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The methods that convert a state from one version to the next. */
final class SagaUpgrades {

    private static final String FIX = "Declare it as: @Upgrade(from = 1) static ObjectNode upgrade(ObjectNode old).";

    private SagaUpgrades() {}

    /** @throws ConfigurationException SB-1107 if one cannot be called, or there is not exactly one for each version */
    static SortedMap<Integer, UnaryOperator<ObjectNode>> read(String saga, int version, List<BeanMethod> annotated) {
        SortedMap<Integer, BeanMethod> byVersion = new TreeMap<>();
        for (BeanMethod upgrade : annotated) {
            requireSignature(upgrade);
            int from = upgrade.annotation(Upgrade.class).from();
            if (from < 1 || from >= version) {
                throw SagaReader.refused(
                        "An upgrade reads a version that cannot be stored [method=%s, from=%s]: the saga's is %s, so it must be 1 to %s."
                                .formatted(upgrade.where(), from, version, version - 1),
                        "Correct from, or raise @BunnySaga(version = %s).".formatted(from + 1));
            }
            BeanMethod other = byVersion.putIfAbsent(from, upgrade);
            if (other != null) {
                throw SagaReader.refused(
                        "Two upgrades read one version [from=%s]: %s and %s."
                                .formatted(from, other.where(), upgrade.where()),
                        "Merge them.");
            }
        }
        requireNoHole(saga, version, byVersion);
        SortedMap<Integer, UnaryOperator<ObjectNode>> upgrades = new TreeMap<>();
        byVersion.forEach((from, upgrade) -> upgrades.put(from, operator(upgrade)));
        return upgrades;
    }

    private static void requireSignature(BeanMethod upgrade) {
        Method method = upgrade.method();
        if (!Modifier.isStatic(method.getModifiers())
                || method.getReturnType() != ObjectNode.class
                || method.getParameterCount() != 1
                || method.getParameterTypes()[0] != ObjectNode.class) {
            throw SagaReader.refused(
                    "An upgrade must be static, take one ObjectNode and return one [method=%s, static=%s, returns=%s]."
                            .formatted(
                                    upgrade.where(),
                                    Modifier.isStatic(method.getModifiers()),
                                    method.getReturnType().getName()),
                    FIX + " ObjectNode is tools.jackson.databind.node.ObjectNode.");
        }
    }

    private static void requireNoHole(String saga, int version, SortedMap<Integer, BeanMethod> byVersion) {
        if (byVersion.isEmpty()) {
            return;
        }
        for (int from = byVersion.firstKey(); from < version; from++) {
            if (!byVersion.containsKey(from)) {
                throw SagaReader.refused(
                        "An upgrade is missing [saga=%s, from=%s]: there are some from %s, and the saga's version is %s."
                                .formatted(saga, from, byVersion.keySet(), version),
                        "Add a method: @Upgrade(from = %s) static ObjectNode upgrade(ObjectNode old).".formatted(from));
            }
        }
    }

    private static UnaryOperator<ObjectNode> operator(BeanMethod upgrade) {
        String where = upgrade.where();
        MethodInvoker invoker = new MethodInvoker(upgrade.bean(), upgrade.method());
        return old -> {
            ObjectNode upgraded = upgrade(where, invoker, old);
            if (upgraded == null) {
                throw new MisuseException(
                        MisuseException.SAGA,
                        "An upgrade returned null instead of the state [method=%s]. It must return an object, which may be its argument."
                                .formatted(where));
            }
            return upgraded;
        };
    }

    private static @Nullable ObjectNode upgrade(String where, MethodInvoker invoker, ObjectNode old) {
        try {
            return (ObjectNode) invoker.invoke(new Object[] {old});
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new MisuseException(
                    MisuseException.BROKEN_RULE,
                    "An upgrade threw a checked exception [method=%s]. It must throw a RuntimeException instead."
                            .formatted(where),
                    e);
        }
    }
}

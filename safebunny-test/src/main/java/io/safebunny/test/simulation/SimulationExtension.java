// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.simulation;

import io.safebunny.failure.MisuseException;
import io.safebunny.test.simulation.run.Finding;
import io.safebunny.test.simulation.run.Schedule;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/** Calls the test's method once for each schedule, instead of once. */
final class SimulationExtension implements InvocationInterceptor, ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == SimulatedSystem.class;
    }

    /** {@inheritDoc} The value is never used, because each schedule has a system of its own. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return new SimulatedSystem((node, saga) -> List.of());
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context) {
        invocation.skip();
        Method method = test.getExecutable();
        BunnySimulation settings = AnnotationSupport.findAnnotation(method, BunnySimulation.class)
                .orElseThrow(() -> new IllegalStateException("registered by the annotation"));
        if (method.getParameterCount() != 1 || method.getParameterTypes()[0] != SimulatedSystem.class) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "A simulation is declared by one parameter [method=%s]: declare it as void %s(SimulatedSystem system)."
                            .formatted(method, method.getName()));
        }
        Object tests = context.getRequiredTestInstance();
        Consumer<SimulatedSystem> declaration = system -> ReflectionSupport.invokeMethod(method, tests, system);
        Simulation simulation = Simulation.declaredBy(method.getName(), declaration);
        if (settings.replay().length > 0) {
            simulation.replay(Schedule.read(settings.replay()));
            return;
        }
        Finding finding = simulation.explore(settings.schedules(), settings.seed());
        if (finding != null) {
            throw new AssertionError("In schedule %s with seed %s: %s"
                    .formatted(finding.schedules(), settings.seed(), finding.report()));
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
/** What a native image has to keep of an application with handlers. Runs while the application is built, never when it runs. */
@NullMarked
package io.safebunny.autoconfigure.aot;

import org.jspecify.annotations.NullMarked;

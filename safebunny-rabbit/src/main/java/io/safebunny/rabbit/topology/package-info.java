// SPDX-License-Identifier: Apache-2.0
/** What a node needs on the broker: declares it on every connect, compares it, and exports it as definitions. */
@NullMarked
package io.safebunny.rabbit.topology;

import org.jspecify.annotations.NullMarked;

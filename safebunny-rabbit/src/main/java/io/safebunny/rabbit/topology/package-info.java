// SPDX-License-Identifier: Apache-2.0
/** What a node needs on the broker, delays included: declared on every connect, as far as the broker user may. */
@NullMarked
package io.safebunny.rabbit.topology;

import org.jspecify.annotations.NullMarked;

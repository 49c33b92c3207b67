// SPDX-License-Identifier: Apache-2.0
/** Instances of one consuming node as processes of their own, to be ended by SIGTERM and SIGKILL. */
@NullMarked
package io.safebunny.rabbit.instance;

import org.jspecify.annotations.NullMarked;

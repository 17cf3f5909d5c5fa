/* Plays libudev to a pcscd: made-up USB readers come and go through its own hot-plug code.
 *
 * Preloaded, it answers the calls that pcscd's hotplug_libudev.c makes (1.9.9 and 2.3.3), and no
 * others. A USB interface is a folder $VIRTUAL_READERS_DIR/usb/NAME with a file for each sysfs
 * attribute (idVendor, idProduct, interface, serial, bInterfaceNumber) and one named port. Moving
 * a whole folder in or out is the plug: one rename, so that pcscd never sees half a device.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

/* An attribute once read: its text must live as long as its device. */
struct value {
    struct value *next;
    char text[256];
};

/* A device is its own parent: what pcscd asks of the interface and of the device lies in one
 * folder. */
struct udev_device {
    char name[NAME_MAX + 1];
    const char *action;
    struct value *values;
};

struct udev_list_entry {
    struct udev_list_entry *next;
    char name[NAME_MAX + 1];
};

struct udev_enumerate {
    struct udev_list_entry *first;
};

struct udev_monitor {
    int descriptor;
};

static int library; /* its address is what stands for "the library" */

static const char *usb_folder(char room[PATH_MAX])
{
    const char *home = getenv("VIRTUAL_READERS_DIR");
    snprintf(room, PATH_MAX, "%s/usb", home ? home : "");
    return room;
}

void *udev_new(void)
{
    return &library;
}

void *udev_unref(void *udev)
{
    (void)udev;
    return NULL;
}

static struct udev_device *device_named(const char *name, const char *action)
{
    struct udev_device *device = calloc(1, sizeof *device);
    if (!device)
        return NULL;
    snprintf(device->name, sizeof device->name, "%s", name);
    device->action = action;
    return device;
}

struct udev_device *udev_device_new_from_syspath(void *udev, const char *path)
{
    (void)udev;
    return device_named(path, NULL);
}

void *udev_device_unref(struct udev_device *device)
{
    while (device && device->values) {
        struct value *value = device->values;
        device->values = value->next;
        free(value);
    }
    free(device);
    return NULL;
}

struct udev_device *udev_device_get_parent_with_subsystem_devtype(struct udev_device *device,
                                                                  const char *subsystem,
                                                                  const char *type)
{
    (void)subsystem;
    (void)type;
    return device;
}

const char *udev_device_get_sysname(struct udev_device *device)
{
    return device->name;
}

const char *udev_device_get_action(struct udev_device *device)
{
    return device->action;
}

const char *udev_device_get_property_value(struct udev_device *device, const char *key)
{
    (void)device;
    (void)key;
    return NULL;
}

static struct value *value_of(struct udev_device *device)
{
    struct value *value = calloc(1, sizeof *value);
    if (value) {
        value->next = device->values;
        device->values = value;
    }
    return value;
}

const char *udev_device_get_sysattr_value(struct udev_device *device, const char *attribute)
{
    char folder[PATH_MAX], path[PATH_MAX + 2 * NAME_MAX];
    snprintf(path, sizeof path, "%s/%s/%s", usb_folder(folder), device->name, attribute);
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    struct value *value = value_of(device);
    bool read = value && fgets(value->text, sizeof value->text, file);
    fclose(file);
    if (!read)
        return NULL;
    value->text[strcspn(value->text, "\n")] = '\0';
    return value->text;
}

/* What follows the last slash is what the driver (ifd-virtual.c) listens on. */
const char *udev_device_get_devnode(struct udev_device *device)
{
    const char *port = udev_device_get_sysattr_value(device, "port");
    struct value *value = port ? value_of(device) : NULL;
    if (!value)
        return NULL;
    snprintf(value->text, sizeof value->text, "/dev/virtual/%.16s", port);
    return value->text;
}

struct udev_enumerate *udev_enumerate_new(void *udev)
{
    (void)udev;
    return calloc(1, sizeof(struct udev_enumerate));
}

int udev_enumerate_add_match_subsystem(struct udev_enumerate *enumerate, const char *subsystem)
{
    (void)enumerate;
    (void)subsystem;
    return 0;
}

/* Put in front one by one, from the last name to the first: the list is in the names' order. */
int udev_enumerate_scan_devices(struct udev_enumerate *enumerate)
{
    char folder[PATH_MAX];
    struct dirent **found;
    int count = scandir(usb_folder(folder), &found, NULL, versionsort);
    if (count < 0)
        return -1;
    while (count-- > 0) {
        struct udev_list_entry *entry = calloc(1, sizeof *entry);
        if (entry && found[count]->d_name[0] != '.') {
            strcpy(entry->name, found[count]->d_name);
            entry->next = enumerate->first;
            enumerate->first = entry;
        } else {
            free(entry);
        }
        free(found[count]);
    }
    free(found);
    return 0;
}

struct udev_list_entry *udev_enumerate_get_list_entry(struct udev_enumerate *enumerate)
{
    return enumerate->first;
}

struct udev_list_entry *udev_list_entry_get_next(struct udev_list_entry *entry)
{
    return entry->next;
}

const char *udev_list_entry_get_name(struct udev_list_entry *entry)
{
    return entry->name;
}

void *udev_enumerate_unref(struct udev_enumerate *enumerate)
{
    while (enumerate->first) {
        struct udev_list_entry *entry = enumerate->first;
        enumerate->first = entry->next;
        free(entry);
    }
    free(enumerate);
    return NULL;
}

struct udev_monitor *udev_monitor_new_from_netlink(void *udev, const char *name)
{
    (void)udev;
    (void)name;
    char folder[PATH_MAX];
    struct udev_monitor *monitor = malloc(sizeof *monitor);
    if (!monitor)
        return NULL;
    monitor->descriptor = inotify_init1(IN_CLOEXEC);
    if (monitor->descriptor < 0
        || inotify_add_watch(monitor->descriptor, usb_folder(folder),
                             IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR) < 0) {
        perror("virtual readers: watching for USB devices");
        if (monitor->descriptor >= 0)
            close(monitor->descriptor);
        free(monitor);
        return NULL;
    }
    return monitor;
}

void *udev_monitor_unref(struct udev_monitor *monitor)
{
    if (monitor)
        close(monitor->descriptor);
    free(monitor);
    return NULL;
}

int udev_monitor_filter_add_match_subsystem_devtype(struct udev_monitor *monitor,
                                                    const char *subsystem, const char *type)
{
    (void)monitor;
    (void)subsystem;
    (void)type;
    return 0;
}

int udev_monitor_enable_receiving(struct udev_monitor *monitor)
{
    (void)monitor;
    return 0;
}

int udev_monitor_get_fd(struct udev_monitor *monitor)
{
    return monitor->descriptor;
}

/* One event a call, as pcscd polls before each. A read() gives as many whole events as fit, and an
 * event's size is not known beforehand: so the room is for the shortest one, and grows while the
 * kernel says that the next one is longer (EINVAL). */
struct udev_device *udev_monitor_receive_device(struct udev_monitor *monitor)
{
    char room[sizeof(struct inotify_event) + NAME_MAX + 1]
        __attribute__((aligned(__alignof__(struct inotify_event))));
    const struct inotify_event *event = (const struct inotify_event *)room;
    ssize_t got = -1;
    for (size_t size = sizeof *event; got < 0 && size <= sizeof room; size += sizeof *event)
        got = read(monitor->descriptor, room, size);
    if (got <= 0 || !event->len || event->name[0] == '.')
        return NULL;
    return device_named(event->name, event->mask & IN_MOVED_TO ? "add" : "remove");
}

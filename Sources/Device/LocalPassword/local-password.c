// Gives the account of whoever starts this a new password on this computer. It runs as root (set-user-ID), and does nothing else:
// docs/decisions/0067-the-password-of-this-computer.md.
//
// It reads the current and the new password from standard input, each ended by a zero byte. The outcome is its exit status, and
// standard error says why in one line. PAM decides: it checks the current password, and then changes it as it would for the account's
// owner, by the service of this program's name. Where both passwords are the same, it only checks.
#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <security/pam_appl.h>
#include <shadow.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#define SERVICE "lanyard-local-password"

// The extension knows these numbers.
enum {
    changed = 0, failed = 1, misused = 2, not_allowed = 3, not_local = 4, wrong_password = 5, refused = 6, has_no_password = 7
};

enum { password_bytes_max = PAM_MAX_RESP_SIZE - 1, input_bytes_max = 2 * PAM_MAX_RESP_SIZE };

struct talk {
    const char *current, *new;
    bool is_changing;
    // How many passwords were asked for since the change began. The first question is for the current one.
    unsigned questions;
    // Why it does not work, as the first module that says so has put it.
    char words[256];
};

// What reads the reason is a program, which wants nothing after it.
static int end(int outcome, const char *reason)
{
    fputs(reason, stderr);
    return outcome;
}

static void unblock_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Whoever starts a program that runs as root chooses its name, environment, limits, signals and open files.
static void shake_off_the_caller(void)
{
    clearenv();
    (void)!chdir("/");
    umask(S_IRWXG | S_IRWXO);
    closefrom(STDERR_FILENO + 1);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    unblock_signals();
    static char name[] = SERVICE;
    program_invocation_name = program_invocation_short_name = name;
    openlog(SERVICE, LOG_PID, LOG_AUTHPRIV);
    const struct rlimit none = { 0, 0 }, unlimited = { RLIM_INFINITY, RLIM_INFINITY };
    setrlimit(RLIMIT_CORE, &none);
    // A file that is cut off would be one of passwords.
    setrlimit(RLIMIT_FSIZE, &unlimited);
    setrlimit(RLIMIT_CPU, &unlimited);
    setrlimit(RLIMIT_AS, &unlimited);
    setrlimit(RLIMIT_DATA, &unlimited);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Finds the one account in the computer's own files that has the number. Accounts of a domain are not in them.
// - Returns: 0, or the outcome if there is none.
static int find_local_account(uid_t user, char *name, size_t size)
{
    FILE *file = fopen("/etc/passwd", "re");
    if (!file)
        return end(failed, "/etc/passwd cannot be read");
    const struct passwd *entry;
    name[0] = 0;
    while (!name[0] && (entry = fgetpwent(file)))
        if (entry->pw_uid == user && strlen(entry->pw_name) < size)
            strcpy(name, entry->pw_name);
    rewind(file);
    int count = 0;
    while ((entry = fgetpwent(file)))
        count += entry->pw_uid == user || strcmp(entry->pw_name, name) == 0;
    fclose(file);
    // PAM knows the account by its name, and has to mean the same one.
    const struct passwd *found = name[0] ? getpwnam(name) : NULL;
    if (count != 1 || !found || found->pw_uid != user)
        return end(not_local, "the account is not one of this computer's own: /etc/passwd does not have it, or has its name or number twice");

    if (!(file = fopen("/etc/shadow", "re")))
        return end(failed, "/etc/shadow cannot be read");
    const struct spwd *secret;
    while ((secret = fgetspent(file)) && strcmp(secret->sp_namp, name) != 0) {}
    const bool has_password = secret && secret->sp_pwdp[0] && !strchr("!*", secret->sp_pwdp[0]);
    fclose(file);
    return has_password ? 0 : end(has_no_password, "the account has no password of its own, or is locked");
}

// For what a service does not have PAM takes the service for all others, which may ask a domain.
static bool has_service(void)
{
    FILE *file = fopen("/etc/pam.d/" SERVICE, "re");
    if (!file && errno == ENOENT)
        file = fopen("/usr/lib/pam.d/" SERVICE, "re");
    if (!file)
        return false;
    bool checks = false, changes = false;
    char *line = NULL, kind[16];
    for (size_t size = 0; getline(&line, &size, file) > 0;)
        if (sscanf(line, "%15s", kind) == 1) {
            checks |= strcmp(kind, "auth") == 0;
            changes |= strcmp(kind, "password") == 0;
        }
    free(line);
    fclose(file);
    return checks && changes;
}

// - Returns: whether there were exactly two passwords.
static bool read_passwords(char *input, struct talk *talk)
{
    size_t length = 0;
    for (;;) {
        // One byte more than there may be, which is refused below.
        const ssize_t count = read(STDIN_FILENO, input + length, input_bytes_max + 1 - length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        if (count == 0)
            break;
        length += (size_t)count;
    }
    const char *first_end = memchr(input, 0, length);
    if (!first_end)
        return false;
    const size_t first = (size_t)(first_end - input) + 1;
    const char *second_end = memchr(input + first, 0, length - first);
    if (!second_end || second_end != input + length - 1)
        return false;
    talk->current = input;
    talk->new = input + first;
    const size_t second = (size_t)(second_end - talk->new);
    return first > 1 && first - 1 <= password_bytes_max && second > 0 && second <= password_bytes_max;
}

static int answer(int count, const struct pam_message **messages, struct pam_response **responses, void *data)
{
    struct talk *talk = data;
    if (count <= 0 || count > PAM_MAX_NUM_MSG)
        return PAM_CONV_ERR;
    struct pam_response *answers = calloc((size_t)count, sizeof *answers);
    if (!answers)
        return PAM_BUF_ERR;
    for (int number = 0; number < count; number++) {
        const int style = messages[number]->msg_style;
        if (style == PAM_PROMPT_ECHO_OFF) {
            const bool is_current = !talk->is_changing || talk->questions++ == 0;
            answers[number].resp = strdup(is_current ? talk->current : talk->new);
        } else if ((style == PAM_ERROR_MSG || style == PAM_TEXT_INFO) && messages[number]->msg) {
            // While the password changes, modules also say what they do. Why an account is locked is no error to them.
            if (!talk->words[0] && (style == PAM_ERROR_MSG || !talk->is_changing))
                snprintf(talk->words, sizeof talk->words, "%s", messages[number]->msg);
            continue;
        }
        if (answers[number].resp)
            continue;
        // It asks for something that is no password, or there is no memory.
        for (int given = 0; given < number; given++)
            if (answers[given].resp) {
                explicit_bzero(answers[given].resp, strlen(answers[given].resp));
                free(answers[given].resp);
            }
        free(answers);
        return PAM_CONV_ERR;
    }
    // The library overwrites and frees them.
    *responses = answers;
    return PAM_SUCCESS;
}

static int change(pam_handle_t *pam, struct talk *talk, const char *name)
{
    int status = pam_authenticate(pam, PAM_DISALLOW_NULL_AUTHTOK);
    if ((status == PAM_AUTH_ERR || status == PAM_MAXTRIES) && talk->words[0])
        return end(refused, talk->words);
    if (status == PAM_AUTH_ERR)
        return end(wrong_password, "this is not the account's current password");
    if (status != PAM_SUCCESS)
        return end(failed, talk->words[0] ? talk->words : pam_strerror(pam, status));
    const void *user = NULL;
    if (pam_get_item(pam, PAM_USER, &user) != PAM_SUCCESS || !user || strcmp(user, name) != 0)
        return end(failed, "PAM has put another account in the place of this one");
    if (strcmp(talk->current, talk->new) == 0)
        return end(changed, "changed");

    // From here to its end a signal that can be blocked does not stop it. What PAM starts can be stopped.
    pthread_atfork(NULL, NULL, unblock_signals);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    talk->is_changing = true;
    talk->words[0] = 0;
    status = pam_chauthtok(pam, 0);
    if (status != PAM_SUCCESS) {
        const bool is_refusal = status == PAM_AUTHTOK_ERR || status == PAM_TRY_AGAIN || status == PAM_PERM_DENIED || status == PAM_MAXTRIES;
        return end(is_refusal ? refused : failed, talk->words[0] ? talk->words : pam_strerror(pam, status));
    }
    // A service whose modules are optional says so too where none of them has changed anything.
    talk->is_changing = false;
    talk->current = talk->new;
    if (pam_authenticate(pam, PAM_DISALLOW_NULL_AUTHTOK) != PAM_SUCCESS)
        return end(failed, "PAM says that the password is changed, but does not take the new one; look at its service " SERVICE);
    return end(changed, "changed");
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count != 1)
        return end(misused, "it takes no arguments, for everybody can read those of a process");
    const uid_t user = getuid();
    if (user == 0)
        return end(misused, "it does not change the password of root; use passwd");
    if (geteuid() != 0) {
        struct stat own;
        if (stat("/proc/self/exe", &own) != 0 || own.st_uid != 0 || !(own.st_mode & S_ISUID))
            return end(not_allowed, "the administrator has not allowed it: it does not run as root (chmod u+s)");
        const bool is_bound = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
        return end(failed, is_bound ? "who starts it may get no rights of others (NoNewPrivileges)"
                                    : "its file system lets no program run as root (nosuid), or a container does not");
    }
    shake_off_the_caller();

    char name[256];
    int outcome = find_local_account(user, name, sizeof name);
    if (outcome != 0)
        return outcome;
    if (!has_service())
        return end(failed, "/etc/pam.d/" SERVICE " is missing, or has no line that begins with auth, or none with password");

    static char input[input_bytes_max + 1];
    struct talk talk = { 0 };
    // Whoever starts it does not keep it waiting.
    alarm(10);
    if (read_passwords(input, &talk)) {
        alarm(60);
        // Passwords do not get into swap space. Where the system limits the memory for that, they may.
        const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
        if (setrlimit(RLIMIT_MEMLOCK, &unlimited) == 0)
            (void)mlockall(MCL_CURRENT | MCL_FUTURE);
        const struct pam_conv conversation = { answer, &talk };
        pam_handle_t *pam = NULL;
        int status = pam_start(SERVICE, name, &conversation, &pam);
        if (status == PAM_SUCCESS)
            status = pam_set_item(pam, PAM_RUSER, name);
        outcome = status == PAM_SUCCESS ? change(pam, &talk, name) : end(failed, "PAM does not begin");
        if (pam)
            pam_end(pam, status);
    } else
        outcome = end(misused, "standard input is not two passwords, each of 1 to 511 bytes and ended by a zero");
    explicit_bzero(input, sizeof input);
    return outcome;
}
